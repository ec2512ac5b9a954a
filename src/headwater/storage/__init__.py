"""Where the bytes of a lake lie, and where headwater keeps its own state."""
