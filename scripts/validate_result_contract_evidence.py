#!/usr/bin/env python3
"""Judge an evidence pair and write its receipt from a bare checkout: `sobre evidence`."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "src"))

from sobre.cli import program

if __name__ == "__main__":
    program(["evidence", *sys.argv[1:]])
