"""Learners of parameters: one algorithm a file, all stepped by the same loop."""
