"""What no output may show: characters that a terminal obeys or that nobody sees, written out apart from the code under test."""

from __future__ import annotations

import re

UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
