"""Small widgets shared by the whole window."""
