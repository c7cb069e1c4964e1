"""Producing results: from functions and programs, over a clean standard output."""
