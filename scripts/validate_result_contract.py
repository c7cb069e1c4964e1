#!/usr/bin/env python3
"""Check documents against the contract from a bare checkout: `sobre validate`."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "src"))

from sobre.cli import program

if __name__ == "__main__":
    program(["validate", *sys.argv[1:]])
