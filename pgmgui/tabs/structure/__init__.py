"""The Structure tab: arrows learned from data."""
