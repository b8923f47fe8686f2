"""Controls: what the user changes the session with."""
