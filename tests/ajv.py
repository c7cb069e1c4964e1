"""Ajv, the validator in the MCP TypeScript SDK, in one Node process for many schemas."""

from __future__ import annotations

import json
import subprocess

from node_packages import HERE, node

#: How Ajv is set up: by the SDK's majors 1 and 2 (engine, not strict), then by itself.
SETUPS = [(7, False), (2020, False), (2020, True)]


class Ajv:
    """A Node process that answers until it is closed."""

    def __init__(self):
        self._process = subprocess.Popen(
            [node(), HERE / "ajv.cjs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def close(self):
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def verdicts(self, schemas, documents, engine=2020, strict=False):
        """For each schema, all in one Ajv instance: a verdict for each of its documents.

        A schema that Ajv refuses has its reason instead, a string.
        """
        request = {"engine": engine, "strict": strict, "schemas": schemas, "documents": documents}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())
