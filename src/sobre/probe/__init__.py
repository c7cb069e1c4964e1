"""Probes: run the real thing, keep what it said, and say what is wrong with it.

Data flows one way: a run gives an observation, which is a value; detectors read
the observation and give findings; findings become a report and an evidence
folder. What is probed is taken for hostile: see `observe` for the bounds.
"""
