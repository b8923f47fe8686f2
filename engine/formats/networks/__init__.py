"""Files of networks."""
