"""`python -m sobre`."""

import sys

if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036 - a checkout has no installer to say so
        sys.exit("sobre needs Python 3.11 or newer")
    from .cli import program

    program()
