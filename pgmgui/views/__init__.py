"""Displays: they listen to the session and never write it."""
