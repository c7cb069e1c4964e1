"""Signals that wait while something is started, and those that end a program."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from command import gone, posix
from sobre import processes
from sobre.signals import Deferred

pytestmark = posix


def test_what_comes_meanwhile_comes_afterwards_and_only_then():
    reached = []

    def start():
        with Deferred():
            signal.raise_signal(signal.SIGINT)
            reached.append(True)

    with pytest.raises(KeyboardInterrupt):
        start()
    assert reached
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_is_left_alone():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def work():
        with Deferred():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_an_interruption_in_the_middle_of_starting_leaves_nothing_alone(monkeypatch):
    started = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *words, **options):
            super().__init__(*words, **options)
            started.append(self.pid)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(processes.subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        processes.run([sys.executable, "-c", "import time; time.sleep(600)"])
    assert gone(started[0])
