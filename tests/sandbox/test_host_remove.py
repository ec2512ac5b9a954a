"""Cleaning up after a run touches the run's folder only."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from headwater.sandbox._folders import remove


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


def test_depth_modes_and_links_do_not_stop_it(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x", encoding="utf-8")
    run = tmp_path / "run"
    run.mkdir()
    (run / "link").symlink_to(outside)
    (run / "locked").mkdir()
    (run / "locked" / "link").symlink_to(outside)
    (run / "locked").chmod(0o500)
    here = os.getcwd()
    try:
        os.chdir(run)
        for _ in range(1500):
            os.mkdir("d")
            os.chdir("d")
            Path("f").touch()
    finally:
        os.chdir(here)
    remove(str(run))
    assert not run.exists()
    assert (outside / "kept").exists()
