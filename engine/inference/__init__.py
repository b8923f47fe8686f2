"""Exact inference: a plan made once from structure and data, then run for any parameters."""
