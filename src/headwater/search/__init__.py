"""Finding documents: passages, cards, vectors, one index protocol."""
