"""Numerics for probabilistic graphical models: types, files, inference, sampling.

Nothing here knows of the dashboard, prints, or shows progress.
"""
