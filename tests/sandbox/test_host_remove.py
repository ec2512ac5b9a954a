"""Cleaning up after a run touches the run's folder only."""

from __future__ import annotations

import stat
from pathlib import Path

from headwater.sandbox._host import remove


def test_the_folder_above_keeps_its_mode(tmp_path: Path) -> None:
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(0o1777)
    inner = above / "run" / "locked"
    inner.mkdir(parents=True)
    (inner / "x").write_text("x", encoding="utf-8")
    inner.chmod(0)
    remove(str(above / "run"))
    remove(str(above / "gone"))  # removing what is not there fails at once, at the folder itself
    assert not (above / "run").exists()
    assert stat.S_IMODE(above.stat().st_mode) == 0o1777
