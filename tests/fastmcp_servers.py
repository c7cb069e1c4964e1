"""FastMCP servers with a tool of each kind, with and without the middleware."""

from __future__ import annotations

from fastmcp import FastMCP
from pydantic import BaseModel

import sobre
from sobre.fastmcp import ContractMiddleware


class Leaf(BaseModel):
    n: int


class Tree(BaseModel):
    leaf: Leaf
    below: list[Tree] = []


def tree() -> Tree:
    return Tree(leaf=Leaf(n=1), below=[Tree(leaf=Leaf(n=2))])


def leaf() -> Leaf:
    return Leaf(n=1)


def result() -> sobre.Result:
    return sobre.success("Done.", output="mine")


def maybe() -> sobre.Result | None:
    return sobre.failure("No.", error_code="no")


def number() -> int:
    return 5


def free():
    return "text"


def served(*middleware, **settings):
    server = FastMCP("test", middleware=middleware, **settings)
    for function in (tree, leaf, result, maybe, number, free):
        server.tool(function)
    return server


def added_later():
    server = served()
    server.add_middleware(ContractMiddleware())
    return server
