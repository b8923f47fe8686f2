"""Files of data."""
