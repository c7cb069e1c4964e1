"""Results and their parts never change, and what is copied from them is the same value."""

from __future__ import annotations

import copy
import json
import pickle
import types
from contextlib import suppress

import pytest

from sobre import ContractError, Result, ResultError, success
from strategies import identity, nested

DOCUMENT = {
    "success": False,
    "message": "No.",
    "error": "Not found",
    "error_code": "not_found",
    "details": {"path": "a", "inner": {"list": [1, {"deep": []}]}},
    "warnings": ["One."],
    "meta": {"command": "copy", "more": [[0]]},
    "items": [1, [2], {"a": 3}],
    "object": {"a": {"b": []}},
}


@pytest.fixture
def result():
    built = Result(copy.deepcopy(DOCUMENT))
    before = built.to_json()
    yield built
    assert built.to_json() == before
    assert identity(built.to_dict()) == identity(DOCUMENT)


def test_attributes_cannot_be_set_or_deleted(result):
    attributes = [
        "success",
        "message",
        "details",
        "domain",
        "_document",
        "other",
        "__class__",
        "__dict__",
    ]
    for name in attributes:
        with pytest.raises(AttributeError):
            setattr(result, name, {})
        with pytest.raises(AttributeError):
            delattr(result, name)
    with pytest.raises(TypeError):
        result["message"] = "Other."
    with pytest.raises(TypeError):
        del result["message"]
    assert not hasattr(result, "__dict__")


def test_a_second_initialisation_changes_nothing():
    result = Result(DOCUMENT)
    with suppress(TypeError, AttributeError, ContractError):
        result.__init__({"success": True, "message": "Done."})
    assert identity(result.to_dict()) == identity(DOCUMENT)


CHANGES_OF_DICT = {
    "setitem": lambda part: part.__setitem__("x", 1),
    "delitem": lambda part: part.__delitem__(next(iter(part))),
    "update": lambda part: part.update(x=1),
    "pop": lambda part: part.pop(next(iter(part))),
    "pop_default": lambda part: part.pop("none", None),
    "popitem": lambda part: part.popitem(),
    "clear": lambda part: part.clear(),
    "setdefault": lambda part: part.setdefault("x", 1),
    "ior": lambda part: part.__ior__({"x": 1}),
}
CHANGES_OF_LIST = {
    "setitem": lambda part: part.__setitem__(0, 9),
    "set_slice": lambda part: part.__setitem__(slice(None), []),
    "delitem": lambda part: part.__delitem__(0),
    "append": lambda part: part.append(1),
    "extend": lambda part: part.extend([1]),
    "insert": lambda part: part.insert(0, 1),
    "pop": lambda part: part.pop(),
    "remove": lambda part: part.remove(part[0]),
    "clear": lambda part: part.clear(),
    "reverse": lambda part: part.reverse(),
    "sort": lambda part: part.sort(),
    "iadd": lambda part: part.__iadd__([1]),
    "imul": lambda part: part.__imul__(2),
}
DICTS = {
    "details": lambda result: result.details,
    "details_inner": lambda result: result.details["inner"],
    "details_deep": lambda result: result.details["inner"]["list"][1],
    "meta": lambda result: result.meta,
    "domain": lambda result: result.domain,
    "domain_inner": lambda result: result.domain["object"]["a"],
    "item": lambda result: result["object"],
    "get": lambda result: result.get("object")["a"],
    "in_list": lambda result: result["items"][2],
    "error": lambda result: ResultError(result).details["inner"],
    "copied": lambda result: copy.copy(result.details),
    "deep_copied": lambda result: copy.deepcopy(result.details)["inner"],
    "pickled": lambda result: pickle.loads(pickle.dumps(result.details))["inner"],
}
LISTS = {
    "details": lambda result: result.details["inner"]["list"],
    "meta": lambda result: result.meta["more"],
    "meta_inner": lambda result: result.meta["more"][0],
    "item": lambda result: result["items"],
    "item_inner": lambda result: result["items"][1],
    "warnings": lambda result: result["warnings"],
    "domain": lambda result: result.domain["items"],
    "copied": lambda result: copy.copy(result["items"]),
    "deep_copied": lambda result: copy.deepcopy(result["items"])[1],
    "pickled": lambda result: pickle.loads(pickle.dumps(result["items"]))[1],
}


@pytest.mark.parametrize("part", DICTS.values(), ids=DICTS)
@pytest.mark.parametrize("change", CHANGES_OF_DICT.values(), ids=CHANGES_OF_DICT)
def test_objects_inside_cannot_be_changed(result, part, change):
    found = part(result)
    before = repr(found)
    with pytest.raises(TypeError):
        change(found)
    assert repr(found) == before


@pytest.mark.parametrize("part", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("change", CHANGES_OF_LIST.values(), ids=CHANGES_OF_LIST)
def test_arrays_inside_cannot_be_changed(result, part, change):
    found = part(result)
    before = repr(found)
    with pytest.raises(TypeError):
        change(found)
    assert repr(found) == before


def test_no_way_around_the_classes_reaches_the_result(result):
    """Even what is changed by force is a copy."""
    dict.__setitem__(result.details, "path", "b")
    dict.clear(result.domain["object"])
    list.append(result["items"], 4)
    list.clear(result["warnings"])
    dict.clear(result.meta)
    assert isinstance(result.keys().mapping, types.MappingProxyType)
    assert isinstance(result.warnings, tuple)


def test_copies_may_be_changed(result):
    document = result.to_dict()
    document["details"]["inner"]["list"][1]["deep"].append(1)
    document["items"].clear()
    del document["message"]
    plain = dict(result.details)
    plain["path"] = "b"
    items = list(result["items"])
    items.append(4)
    assert type(result.to_dict()["details"]["inner"]) is dict
    assert type(result.to_dict()["items"]) is list


def test_what_a_result_was_built_from_may_be_changed():
    document = copy.deepcopy(DOCUMENT)
    result = Result(document)
    document["details"]["inner"]["list"].append(2)
    document["items"][1].append(3)
    document["warnings"].clear()
    document["message"] = "Other."
    assert identity(result.to_dict()) == identity(DOCUMENT)
    details, items, warnings = {"a": [1]}, [[1]], ["w"]
    built = success("Done.", details=details, items=items, warnings=warnings)
    before = built.to_json()
    details["a"].append(2)
    items[0].append(2)
    warnings.append(" ")
    assert built.to_json() == before


def test_parts_are_plain_json_to_everyone_else(result):
    assert json.loads(json.dumps(result.details)) == DOCUMENT["details"]
    assert result["items"] == DOCUMENT["items"]
    assert result.details == DOCUMENT["details"]
    assert isinstance(result.details, dict)
    assert isinstance(result["items"], list)


# -- copying and pickling ---------------------------------------------------------

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle-{protocol}": lambda r, p=protocol: pickle.loads(pickle.dumps(r, p))
        for protocol in range(2, 6)
    },
}


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_copies_are_the_same_value(result, make):
    twin = make(result)
    assert type(twin) is Result
    assert twin == result
    assert hash(twin) == hash(result)
    assert twin.to_json() == result.to_json()
    with pytest.raises(AttributeError):
        twin.message = "Other."


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("depth", [100, 511])
def test_deep_results_can_be_copied(make, depth):
    deep = success("Done.", value=nested(depth, "[{"))
    assert make(deep) == deep


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_subclasses_stay_so(make):
    assert type(make(Special(DOCUMENT))) is Special
    assert type(Special.from_json(json.dumps(DOCUMENT))) is Special
    assert Special(DOCUMENT).message == "No."


class Special(Result):
    """A subclass that adds nothing."""

    __slots__ = ()


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_errors_can_be_copied(make):
    with pytest.raises(ContractError) as caught:
        Result({"success": True, "message": " "})
    refused = caught.value
    assert make(refused).findings == refused.findings
    assert str(make(refused)) == str(refused)
    unwrapped = ResultError(Result(DOCUMENT))
    assert make(unwrapped).result == unwrapped.result
    assert (make(unwrapped).code, str(make(unwrapped))) == (unwrapped.code, str(unwrapped))
