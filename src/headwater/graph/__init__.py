"""Warehouse topology: foreign keys, lineage, silos, impact."""
