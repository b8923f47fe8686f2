"""Data that does not fit: counted where it lies, by whatever engine Ibis speaks to."""
