"""Results as values that cannot break the contract (specification section 2)."""

from __future__ import annotations

from ..json_text import read
from ..json_write import compact_text, equal, pretty
from . import CONTRACT_URL
from .check import check
from .convert import ContractError, to_json_value
from .findings import Finding, violations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping
    from typing import Any, NoReturn, Self

#: The fields of the core, in the order in which they are written.
RESERVED_NAMES = ("success", "message", "error", "error_code", "details", "warnings", "meta")


class ResultError(Exception):
    """A failure that was unwrapped: `code`, `message`, `details`, and the whole `result`.

    `code` is the result's `error_code`, or "" if it has none.
    """

    def __init__(self, result: Result) -> None:
        super().__init__(result)
        self.result = result
        self.code = result.error_code or ""
        self.message = result.message
        self.details = result.details

    def __str__(self) -> str:
        explained = self.result.error
        text = self.message if explained in (None, self.message) else f"{self.message} {explained}"
        return f"{self.code}: {text}" if self.code else text


class Result:
    """One completed operation's outcome, as an immutable value that conforms.

    `Result(document)` takes the members of a contract object as a mapping and
    copies them; `success(...)` and `failure(...)` are the short ways to build
    one, `Result.from_json(...)` the way to read one. Raises `ContractError`
    with the findings if the document does not conform or holds what JSON lacks.

    Fields the contract does not name are kept as they are: read them with
    `result["name"]`, `result.get("name")` or `result.domain`. A result is true
    if it is a success, and matches positionally as
    `Result(True, message)` and `Result(False, message, error_code)`.

    It does not say what an operation's own fields mean; that is for a domain
    schema.
    """

    __slots__ = ("_document",)
    __match_args__ = ("success", "message", "error_code")
    if TYPE_CHECKING:  # Frameworks take annotations of a class for its fields.
        _document: dict[str, Any]

    def __init__(self, document: Mapping[str, Any] | Result) -> None:
        if hasattr(self, "_document"):
            raise AttributeError("a Result does not change; build another")
        plain = to_json_value(document)
        self._seal(plain, check(plain))

    def _seal(self, document: Any, findings: list[Finding]) -> None:
        if findings and (broken := violations(findings)):
            raise ContractError(broken)
        object.__setattr__(self, "_document", document)

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """The result that a JSON document holds; unknown fields are kept.

        Raises `sobre.DocumentError` if it is not strict JSON (section 1) and
        `ContractError` if it breaks the core (section 2).
        """
        document = read(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
        result = cls.__new__(cls)
        result._seal(document, check(document))
        return result

    @property
    def success(self) -> bool:
        """True only if the operation completed successfully."""
        return self._document["success"] is True

    @property
    def message(self) -> str:
        """A whole summary of the outcome for a person."""
        return str(self._document["message"])

    @property
    def error(self) -> str | None:
        """The description of a failure, if it has one."""
        return self._document.get("error")

    @property
    def error_code(self) -> str | None:
        """The stable code of a failure, if it has one."""
        return self._document.get("error_code")

    @property
    def details(self) -> Mapping[str, Any]:
        """The `details` object; empty if there is none."""
        return _frozen(self._document.get("details", {}))  # type: ignore[no-any-return]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings; empty if there are none."""
        return tuple(self._document.get("warnings", ()))

    @property
    def meta(self) -> Mapping[str, Any]:
        """The `meta` object; empty if there is none."""
        return _frozen(self._document.get("meta", {}))  # type: ignore[no-any-return]

    @property
    def domain(self) -> Mapping[str, Any]:
        """The fields that the contract does not name: the operation's own evidence."""
        fields = self._document.items()
        return _FrozenDict((n, _frozen(v)) for n, v in fields if n not in RESERVED_NAMES)

    def __getitem__(self, name: str) -> Any:
        """A member of the document by its name. Raises `KeyError` if there is none."""
        return _frozen(self._document[name])

    def get(self, name: str, default: Any = None) -> Any:
        """A member of the document by its name, or `default`."""
        return self[name] if name in self._document else default

    def __contains__(self, name: object) -> bool:
        return name in self._document

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def keys(self) -> KeysView[str]:
        """The names of the document's members, in order."""
        return self._document.keys()

    def unwrap(self) -> Self:
        """Itself if it is a success; raises `ResultError` if it is a failure."""
        if not self.success:
            raise ResultError(self)
        return self

    def replace(self, **members: Any) -> Self:
        """A result like this one with other or further members, such as `meta`.

        Raises `ContractError` if it would not conform.
        """
        document = {**self._document, **to_json_value(members)}
        result = type(self).__new__(type(self))
        result._seal(document, check(document))
        return result

    def to_dict(self) -> dict[str, Any]:
        """The document as a dictionary of its own that may be changed."""
        copy: dict[str, Any] = to_json_value(self._document)
        return copy

    def to_json(self, *, indent: bool = False) -> str:
        """The document as JSON text: one line, or indented by two spaces with a final line feed."""
        return pretty(self._document).decode() if indent else compact_text(self._document)

    def __bool__(self) -> bool:
        return self.success

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return equal(self._document, other._document)

    def __hash__(self) -> int:
        return hash((self.success, self.message, self.error_code, self.error))

    def __repr__(self) -> str:
        shown = self.to_json()
        shown = shown if len(shown) <= 300 else shown[:297] + "..."
        return f"<Result {'success' if self.success else 'failure'} {shown}>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Result does not change; build another (to set {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Result does not change; build another (to delete {name!r})")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: Callable[[Any], Any]) -> Any:
        """How pydantic (2) and what is built on it check and write one: as the document it is."""
        return {
            "type": "function-plain",
            "function": {"type": "no-info", "function": lambda given: cls(given)},
            "serialization": {"type": "function-plain", "function": cls.to_dict},
        }

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: object, handler: object) -> dict[str, Any]:
        """The output schema of what returns one."""
        from .compose import tool_output_schema

        return tool_output_schema(mode="structural")

    @property
    def __pydantic_serializer__(self) -> Any:
        """What pydantic_core asks a value of unknown type for. It is there if it asks."""
        import sys

        schema = {
            "type": "any",
            "serialization": {"type": "function-plain", "function": Result.to_dict},
        }
        return sys.modules["pydantic_core"].SchemaSerializer(schema)


def success(
    message: str,
    /,
    *,
    details: Mapping[str, Any] | None = None,
    warnings: Iterable[str] | None = None,
    meta: Mapping[str, Any] | None = None,
    **domain: Any,
) -> Result:
    """A successful result with the operation's own fields as keywords.

    Raises `ContractError` with the findings if they do not make a conforming
    result, or if a domain field takes a name of the contract.
    """
    return _build({"success": True, "message": message}, domain, details, warnings, meta)


def failure(
    message: str,
    /,
    *,
    error_code: str | None = None,
    error: str | None = None,
    details: Mapping[str, Any] | None = None,
    warnings: Iterable[str] | None = None,
    meta: Mapping[str, Any] | None = None,
    **domain: Any,
) -> Result:
    """A failed result: give `error_code` (stable, for machines), `error` (text) or both.

    Raises `ContractError` as `success` does.
    """
    document: dict[str, Any] = {"success": False, "message": message}
    if error is not None:
        document["error"] = error
    if error_code is not None:
        document["error_code"] = error_code
    return _build(document, domain, details, warnings, meta)


def conforming(
    document: Mapping[str, Any] | Result, meta: Mapping[str, Any] | None = None
) -> Result:
    """The document as a result, or, if it does not conform, the failure that says so.

    What a producer emits in any case (section 2, Producing): an invalid
    envelope is replaced by `invalid_result_contract` with the violations.
    """
    if isinstance(document, Result):
        return document
    try:
        return Result(document)
    except ContractError as error:
        replaced = failure(
            "The operation ended without a valid result, so its outcome is unknown.",
            error="The result does not conform to QZX Result Contract v1.",
            error_code="invalid_result_contract",
            details={"violations": list(map(str, error.findings)), "contract": CONTRACT_URL},
        )
    try:
        return replaced if meta is None else replaced.replace(meta=meta)
    except ContractError:  # Nothing that is wrong about the wrong result may stop this one.
        return replaced


def conforming_document(
    document: Mapping[str, Any] | Result, meta: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The document of `conforming`, as a dictionary of the caller's own, without another copy."""
    if isinstance(document, Result):
        return document.to_dict()
    return conforming(document, meta)._document


def _build(
    document: dict[str, Any],
    domain: dict[str, Any],
    details: Mapping[str, Any] | None,
    warnings: Iterable[str] | None,
    meta: Mapping[str, Any] | None,
) -> Result:
    if not domain.keys().isdisjoint(RESERVED_NAMES):
        raise ContractError(
            [
                Finding("produce.reserved_name", f"/{name}", f"`{name}` is a name of the contract")
                for name in RESERVED_NAMES
                if name in domain
            ]
        )
    document.update(domain)
    if details is not None:
        document["details"] = details
    if warnings is not None:
        document["warnings"] = _list_of(warnings)
    if meta is not None:
        document["meta"] = meta
    return Result(document)


def _list_of(warnings: Any) -> Any:
    """Warnings as a list, one text as a list of one; what cannot be one is left to be refused."""
    if isinstance(warnings, str):
        return [warnings]
    return list(warnings) if hasattr(type(warnings), "__iter__") else warnings


class _FrozenDict(dict):  # type: ignore[type-arg]
    """A part of a result, read-only. `dict(part)` makes a copy that can change."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a Result does not change; change a copy (to_dict) and build another")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


class _FrozenList(list):  # type: ignore[type-arg]
    """A part of a result, read-only. `list(part)` makes a copy that can change."""

    _refuse = _FrozenDict._refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = _refuse
    reverse = sort = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)


def _frozen(value: Any) -> Any:
    """A read-only copy of a JSON value."""
    holder = [value]
    todo: list[Any] = [holder]
    while todo:
        part = todo.pop()
        is_object = isinstance(part, dict)
        for key, item in list(part.items() if is_object else enumerate(part)):
            if type(item) is dict or type(item) is list:
                copy: Any = _FrozenDict(item) if type(item) is dict else _FrozenList(item)
                (dict if is_object else list).__setitem__(part, key, copy)
                todo.append(copy)
    return holder[0]
