"""`overload` for type checkers, without `typing`, which is slow to import."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import overload
else:

    def overload(function):
        """At run time, an overload says nothing."""
        return function


__all__ = ["overload"]
