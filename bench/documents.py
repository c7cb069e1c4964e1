"""Results as tools really write them, generated: the same bytes in every run."""

import hashlib
import json
import random

#: Name of a size -> records in a document, about so many kilobytes of JSON.
SIZES = {"0.2 KB": 0, "0.7 KB": 1, "20 KB": 58}
#: Documents of each size: several, so that no row depends on the luck of one.
VARIANTS = 8
MEGABYTE = 1_000_000

_MESSAGES = (
    "Read the configuration and found nothing to change.",
    "Copied all files; two were already up to date.",
    "La copia de seguridad terminó sin errores.",
    "Die Prüfung wurde abgeschlossen, alles in Ordnung.",
    "設定ファイルを読み込みました。",
    "Deployed to the test region 🚀 and checked the health endpoint.",
)
_TITLES = (
    "quarterly report",
    "release notes, second draft",
    'invoice with a "quoted" line',
    "resumen técnico",
    "C:\\data\\import",
    "Übersicht",
    "first line\nsecond line",
    "mesures de température",
)
_FOLDERS = ("src", "tests/unit", "docs/guide", "assets/img", "lib/vendor")
_TAGS = ("draft", "reviewed", "public", "large", "généré", "archived")


def dictionaries(size: str) -> list[dict]:
    """The documents of a size as values: successes and, where small, failures by turns."""
    dice = random.Random(f"sobre {size}")
    return [_document(dice, SIZES[size], number) for number in range(VARIANTS)]


def texts(documents: list[dict]) -> list[bytes]:
    """The documents as bytes: by turns with every non-ASCII character escaped, and with none."""
    return [
        json.dumps(document, ensure_ascii=number % 2 == 0).encode()
        for number, document in enumerate(documents)
    ]


def worst_cases() -> dict[str, bytes]:
    """About a megabyte each: records, then what costs the reader most."""
    dice = random.Random("sobre worst")
    records = [_record(dice) for _ in range(MEGABYTE // 345)]
    plain = json.dumps({"success": True, "message": "Done.", "records": records}).encode()
    emoji = [json.dumps("🚀🎉" * 20) for _ in range(MEGABYTE // 490)]
    deep = b"[" * 499 + b"]" * 499
    arrays = b"[" + b",".join([deep] * (MEGABYTE // len(deep)))
    digits = b"[" + b"1," * (MEGABYTE // 2)
    brackets = [json.dumps("[{" * 40 + '"') for _ in range(MEGABYTE // 86)]
    return {
        "records, all well": plain,
        "records, an error at the end": plain[:-1] + b",}",
        "single digits, an error at the end": digits + b"]",
        "emoji as escapes": f"[{','.join(emoji)}]".encode(),
        "emoji, the last one half": f'[{",".join(emoji)[:-8]}x"]'.encode(),
        "arrays 500 levels deep": arrays + b"]",
        "arrays 513 levels deep at the end": arrays + b"," + b"[" * 512 + b"]" * 513,
        "text full of brackets": f"[{','.join(brackets)}]".encode(),
    }


def _document(dice: random.Random, records: int, number: int) -> dict:
    message = dice.choice(_MESSAGES)
    meta = {"command": dice.choice(("syncFolder", "readFile", "checkHealth")), "schema_version": 1}
    if records == 0 and number % 2:
        error = {"error": f"{_path(dice)}: permission denied", "error_code": "permission_denied"}
        return {"success": False, "message": message, **error, "meta": meta}
    if records == 0:
        facts = {"finished_at": _timestamp(dice), "file_count": dice.randrange(500)}
        return {"success": True, "message": message, **facts, "meta": meta}
    return {
        "success": True,
        "message": message,
        "root": _path(dice),
        "free_bytes": dice.randrange(10**12),
        "records": [_record(dice) for _ in range(records)],
        "details": {"started_at": _timestamp(dice), "attempts": [1, 2, 3][: dice.randrange(4)]},
        "warnings": [f"{_path(dice)} was skipped"] * (number % 2),
        "meta": {**meta, "duration_ms": round(dice.lognormvariate(3, 1), 3)},
    }


def _record(dice: random.Random) -> dict:
    return {
        "path": _path(dice),
        "title": dice.choice(_TITLES),
        "size_bytes": dice.randrange(10_000_000),
        "score": dice.random(),
        "position": [round(dice.uniform(-180, 180), 6), round(dice.uniform(-90, 90), 6)],
        "modified": _timestamp(dice),
        "sha256": hashlib.sha256(dice.randbytes(8)).hexdigest(),
        "tags": dice.sample(_TAGS, dice.randrange(3)),
        "hidden": dice.random() < 0.2,
        "owner": None,
    }


def _path(dice: random.Random) -> str:
    return f"{dice.choice(_FOLDERS)}/file_{dice.randrange(10_000):04}.txt"


def _timestamp(dice: random.Random) -> str:
    day, hour, minute = dice.randrange(1, 29), dice.randrange(24), dice.randrange(60)
    return f"2026-03-{day:02}T{hour:02}:{minute:02}:{dice.uniform(10, 59):.3f}+00:00"
