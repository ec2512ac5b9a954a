"""Headwater answers questions from data lakes, shows where each answer came from, and measures how often it is right."""

from __future__ import annotations

__version__ = "0.1.0"
