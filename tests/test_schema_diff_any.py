"""Changes of any schema: none that breaks a consumer is missed, none is made up, all in time."""

from __future__ import annotations

import copy
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from schema_maker import KEYWORDS, SCALARS, TURNING, TYPES, Maker, dangling, endless, has, places
from sobre.contract.schema_diff import ADDITIVE, BREAKING, MAX_CHANGES, UNDECIDED, diff_schemas
from sobre.contract.schema_walk import subschemas
from sobre.json_write import resolve_pointer
from strategies import EFFORT, examples, fixed_random, json_values, nested, seeds

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def told(old, new):
    """Effect and pointer of each change."""
    return [f"{change.effect} {change.pointer}" for change in diff_schemas(old, new)]


def fields(**properties):
    return {"type": "object", "properties": properties}


def judge(document):
    return Draft202012Validator(document, registry=Registry()).is_valid


def relaxed(old, changes):
    """The old schema with what an additive change may do: open objects, and those error codes."""
    old = copy.deepcopy(old)
    for holder, key in places(old):
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            if has(holder[key], keyword) and holder[key][keyword] is False:
                holder[key][keyword] = True
    for change in changes:
        if change.pointer.endswith("/enum"):
            try:
                resolve_pointer(old, change.pointer).extend(SCALARS)
            except KeyError:
                return None
    return old


ROUNDS = 1500


@pytest.mark.parametrize("part", range(4))
def test_nothing_that_breaks_a_consumer_is_missed(part):
    """A result that the old schema refuses and the new one admits shows in the changes."""
    rng = fixed_random("semantic", part)
    maker, counts = Maker(rng), {"same": 0, "additive": 0}
    for _ in range(ROUNDS * EFFORT // 4):
        old = maker.document()
        new = maker.variant(old)
        if endless(old) or endless(new):
            continue
        changes = diff_schemas(old, new)
        if any(change.effect != ADDITIVE for change in changes):
            continue
        counts["additive" if changes else "same"] += 1
        before, after = judge(old), judge(new)
        allowed = relaxed(old, changes) if changes else old
        turning = any(has(holder[key], word) for holder, key in places(old) for word in TURNING)
        if allowed is None or (changes and turning):
            continue
        admits = judge(allowed)
        for _ in range(30):
            result = maker.result()
            admitted = after(result)
            shown = json.dumps([old, new, result, list(map(str, changes))])
            if changes:
                assert not admitted or admits(result), shown
            else:
                assert admitted is before(result), shown
    assert min(counts.values()) > ROUNDS // 400


@examples(60)
@given(seeds)
def test_a_schema_has_no_changes_to_itself_in_any_order(rng):
    document = Maker(rng).document()
    assert told(document, copy.deepcopy(document)) == []
    if dangling(document):
        return
    explained = {**document, "title": "the same"}
    assert told(document, reordered(explained, rng)) == []
    assert told(reordered(explained, rng), document) == []


def reordered(value, rng):
    """A copy with the members of every object in another order."""
    if isinstance(value, list):
        return [reordered(item, rng) for item in value]
    if not isinstance(value, dict):
        return value
    names = list(value)
    rng.shuffle(names)
    return {name: reordered(value[name], rng) for name in names}


def everyday(rng, depth):
    """A schema as people write them: objects of fields, arrays, references, conditions."""
    if depth == 0:
        return {"type": rng.choice(TYPES)}
    kind = rng.randrange(5)
    if kind == 0:
        return {"type": "array", "items": everyday(rng, depth - 1)}
    if kind == 1:
        return {"anyOf": [everyday(rng, depth - 1), {"type": "null"}]}
    if kind == 2:
        return {"if": {"required": ["a"]}, "then": everyday(rng, depth - 1)}
    if kind == 3:
        return {"$ref": "#/$defs/node"}
    return fields(**{name: everyday(rng, depth - 1) for name in ("a", "b")})


@examples(60)
@given(seeds)
def test_an_optional_field_anywhere_is_one_additive_change_and_its_removal_breaks(rng):
    old = fields(a=everyday(rng, 3), b={"$ref": "#/$defs/node"})
    old["$defs"] = {"node": fields(next={"$ref": "#/$defs/node"}, value=everyday(rng, 1))}
    places = [part for part in subschemas(old) if "properties" in part.schema]
    new = copy.deepcopy(old)
    chosen = rng.choice(places)
    pointer = f"{chosen.pointer}/properties"
    resolve_pointer(new, pointer)["novel"] = everyday(rng, 2)
    assert told(old, new) == [f"additive {pointer}/novel"]
    assert told(new, old) == [f"breaking {pointer}/novel"]


@examples(150)
@given(json_values, json_values)
def test_any_json_is_compared(old, new):
    assert told(old, copy.deepcopy(old)) == []
    for change in diff_schemas(old, new) + diff_schemas({"properties": {"a": old}}, {"items": new}):
        assert change.effect in (BREAKING, ADDITIVE, UNDECIDED)
        assert change.message.isascii()


keywords = st.sampled_from([*KEYWORDS, "$defs", "$id", "$anchor", "then", "items", "dependencies"])
nonsense = st.recursive(
    json_values | st.sampled_from(["#", "#/$defs/a", "", "x", "http://[", "%", "#%zz", "#/a/0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keywords, inner, max_size=4),
    max_leaves=20,
)


@examples(200)
@given(nonsense, nonsense)
def test_nonsense_in_every_keyword_is_compared(old, new):
    assert told(old, copy.deepcopy(old)) == []
    told(old, new)
    told({"$ref": "#/$defs/a", "$defs": {"a": old}}, {"$ref": "#/$defs/a", "$defs": {"a": new}})


# -- bounds -----------------------------------------------------------------------

COUNT = 5000


def loop(length):
    """Schemas that name each other in a circle through a field."""
    names = [f"d{number}" for number in range(length)]
    following = names[1:] + names[:1]
    return {
        "$ref": "#/$defs/d0",
        "$defs": {
            name: fields(next={"$ref": f"#/$defs/{other}"})
            for name, other in zip(names, following, strict=True)
        },
    }


def branches(depth, innermost):
    for _ in range(depth):
        innermost = {"anyOf": [{"type": "null"}, innermost]}
    return innermost


LARGE = {
    "references to one place": (
        fields(**{f"f{n}": {"$ref": "#/$defs/a"} for n in range(COUNT)}) | {"$defs": {"a": TEXT}},
        fields(**{f"f{n}": {"$ref": "#/$defs/a"} for n in range(COUNT)}) | {"$defs": {"a": NUMBER}},
        ["breaking /$defs/a/type"],
    ),
    "references by id": (
        fields(**{f"f{n}": {"$ref": "urn:x:a"} for n in range(COUNT)})
        | {"$defs": {"a": {"$id": "urn:x:a", **TEXT}}},
        fields(**{f"f{n}": TEXT for n in range(COUNT)}),
        [],
    ),
    "chains of references": (
        fields(**{f"f{n}": {"$ref": f"#/$defs/{n}"} for n in range(COUNT)})
        | {
            "$defs": {f"{n}": {"$ref": f"#/$defs/{n + 1}"} for n in range(COUNT)} | {f"{COUNT}": {}}
        },
        fields(**{f"f{n}": True for n in range(COUNT)}),
        [],
    ),
    "a circle of references": (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        [],
    ),
    "out of a circle": ({"$ref": "#"}, TEXT, ["breaking /type", "undecided /$ref"]),
    "circles of one length": (loop(700), loop(700), []),
    "circles of different lengths": (loop(700), loop(701), ["undecided "]),
    "deep": (nested(512, "{"), nested(511, "{"), ["undecided /a"]),
    "deep branches": (
        branches(250, TEXT),
        branches(250, NUMBER),
        ["breaking " + "/anyOf/1" * 250 + "/type"],
    ),
    "a large enum": (
        {"enum": list(range(100_000))},
        {"enum": list(range(1, 100_001))},
        ["breaking /enum"] * 2,
    ),
    "large numbers that doubles do not tell apart": (
        {"enum": [10**300 + n for n in range(20_000)]},
        {"enum": [10**300 + n for n in range(20_000, 0, -1)]},
        ["breaking /enum"] * 2,
    ),
    "many names": (
        {"required": [f"{n}" for n in range(50_000)]},
        {"required": [f"{n}" for n in range(49_999, -1, -1)]},
        [],
    ),
}


@pytest.mark.parametrize("what", LARGE)
def test_large_schemas_take_bounded_time(what):
    old, new, changes = LARGE[what]
    start = time.process_time()
    assert told(old, new) == changes
    assert time.process_time() - start < 10


def test_there_is_an_end_to_the_list():
    changes = diff_schemas({"enum": list(range(2 * MAX_CHANGES))}, {"enum": [-1]})
    assert len(changes) == MAX_CHANGES + 1
    assert str(changes[-1]) == "undecided at the root: there are more than 10000 changes"


def test_a_change_is_a_json_object_and_a_line_without_control_characters():
    (change,) = diff_schemas(fields(), fields(**{"\x1b[31m\n\u202e": {}}))
    assert list(change.to_dict()) == ["effect", "pointer", "message"]
    assert change.message == r"the optional field '\x1b[31m\n\u202e' is new"
    (change,) = diff_schemas({"type": "\x1b"}, {"type": "\n"})
    assert change.message == r"the type is changed from \x1b to \n"
