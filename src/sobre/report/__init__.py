"""Rendering: what was found -> bytes for a person or a machine. A format is a file here."""
