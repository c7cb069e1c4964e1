"""Probing an MCP server: what it lists, and what its tools say of success and failure.

`session` asks a server, one revision at a time, and keeps what came back as it
came. `judge` holds that against the contract and the detectors in `tools` and
`answers`. `summary` makes a report of it, `folder` a folder of evidence. The
client here is raw, below any SDK, since a probe must see what an official
client refuses.
"""
