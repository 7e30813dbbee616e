"""The side bar of conversations."""
