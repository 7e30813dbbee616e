"""What the assistant can do in the world, and the accounts it does it with."""
