"""What frameworks read of an operation: its function's signature, and that it returns a Result.

They check what comes back against the annotation, so the function's own would have
them refuse every result.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from typing import TYPE_CHECKING

import pytest

import sobre

if TYPE_CHECKING:
    from nowhere import Thing

operation = sobre.operation(returns="n", message="It is {n}.")


def add(a: int, b: int = 2) -> int:
    return a + b


async def wait(a: int, *, b: int = 2) -> int:
    return a + b


def decorated(function):
    @functools.wraps(function)
    def outer(*args, **kwargs):
        return function(*args, **kwargs)

    return outer


def with_signature(function):
    @functools.wraps(function)
    def outer(*args, **kwargs):
        return function(*args, 1)

    outer.__signature__ = inspect.Signature([inspect.signature(function).parameters["a"]])
    return outer


class Counter:
    def method(self, a: int) -> int:
        return a

    async def wait(self, a: int) -> int:
        return a

    @classmethod
    def of_class(cls, a: int) -> int:
        return a

    @staticmethod
    def of_none(a: int) -> int:
        return a

    @decorated
    def decorated(self, a: int) -> int:
        return a

    def __call__(self, a: int) -> int:
        return a


def only_checkers_know_what_it_returns(a: int) -> Thing:
    return a


@pytest.mark.parametrize(
    ("function", "name", "parameters"),
    [
        (add, "add", "(a: int, b: int = 2)"),
        (wait, "wait", "(a: int, *, b: int = 2)"),
        (decorated(add), "add", "(a: int, b: int = 2)"),
        (decorated(decorated(add)), "add", "(a: int, b: int = 2)"),
        (with_signature(add), "add", "(a: 'int')"),
        (operation(add), "add", "(a: int, b: int = 2)"),
        (Counter().method, "method", "(a: int)"),
        (Counter().wait, "wait", "(a: int)"),
        (Counter().of_class, "of_class", "(a: int)"),
        (Counter.of_none, "of_none", "(a: int)"),
        (Counter().decorated, "decorated", "(a: int)"),
        (Counter(), "Counter", "(a: int)"),
        (functools.partial(add, b=3), "add", "(a: int, *, b: int = 3)"),
        (functools.partial(functools.partial(add), b=3), "add", "(a: int, *, b: int = 3)"),
        (functools.partial(operation(add), b=3), "add", "(a: int, *, b: int = 3)"),
        (functools.partial(Counter().wait), "wait", "(a: int)"),
        (functools.partial(Counter()), "Counter", "(a: int)"),
        (
            only_checkers_know_what_it_returns,
            "only_checkers_know_what_it_returns",
            "(a: int)",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_the_signature_is_the_function_s_and_what_returns_is_a_result(function, name, parameters):
    made = operation(function)
    signature = inspect.signature(made, eval_str="'" not in parameters)
    assert signature.return_annotation is sobre.Result
    assert str(signature.replace(return_annotation=inspect.Signature.empty)) == parameters
    assert made.__name__ == name
    result = made(1)
    result = asyncio.run(result) if inspect.isawaitable(result) else result
    assert isinstance(result["n"], int)
    assert result.meta["command"] == name


def test_the_function_itself_stays_as_it_was():
    before = dict(add.__annotations__), add.__defaults__
    operation(functools.partial(decorated(add), b=3))
    assert (add.__annotations__, add.__defaults__) == before
    assert inspect.signature(add, eval_str=True).return_annotation is int


def test_what_is_no_python_code_stands_for_itself():
    made = operation(len)
    assert made([1, 2])["n"] == 2
    assert str(inspect.signature(made)) == "(obj, /)"
