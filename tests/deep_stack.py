"""Calls from near the end of the call stack."""

from __future__ import annotations

import sys


def frames_in_use():
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def call_with_frames_left(frames, function, *arguments):
    """What the function gives when so many Python frames are left below it."""

    def descend(levels):
        return function(*arguments) if levels <= 0 else descend(levels - 1)

    return descend(sys.getrecursionlimit() - frames_in_use() - frames)
