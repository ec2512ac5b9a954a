"""A walk through headwater on the lake in examples/lake: every command is printed, then run.

Usage: python scripts/demo.py [STATE]

State goes to .demo/ (git-ignored), or to the folder given, so examples/lake stays as it is. Ends with 1 if a command does not do what it should.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADWATER = Path(sys.executable).with_name("headwater")
STATE = Path(sys.argv[1] if len(sys.argv) > 1 else ".demo")
GLOBAL = ["--lake", "examples/lake", "--state", str(STATE)]
WAREHOUSE = ["--from", "examples/warehouse"]


def say(text: str) -> None:
    print(f"\n# {text}", flush=True)


def quoted(argument: str) -> str:
    """Return an argument as one would type it: in double quotes where single ones stand in it."""
    simple = not set(argument) & set('"$`\\!')
    return f'"{argument}"' if "'" in argument and simple else shlex.quote(argument)


def run(*arguments: str, expect: int = 0, places: bool = True) -> None:
    """Print a command, run it, and stop the demo if it ends otherwise than expected."""
    given = [*arguments, *(GLOBAL if places else [])]
    print("$ headwater " + " ".join(map(quoted, arguments)), flush=True)
    code = subprocess.run([HEADWATER, *given], cwd=ROOT, check=False).returncode
    if code != expect:
        sys.exit(f"This should have ended with {expect}, not {code}.")


def keep(path: Path, *arguments: str) -> None:
    """Print a command whose output goes to a file, and run it."""
    given = [*arguments, *GLOBAL]
    print(f"$ headwater {' '.join(map(quoted, arguments))} > {path}", flush=True)
    out = subprocess.run([HEADWATER, *given], cwd=ROOT, check=False, capture_output=True)
    if out.returncode:
        sys.exit(f"This should have ended with 0, not {out.returncode}.")
    (ROOT / path).write_bytes(out.stdout)


def series_of(document: str) -> str:
    """Return the SQL name of the series that a document belongs to."""
    out = subprocess.run(
        [HEADWATER, "related", document, "--json", *GLOBAL], cwd=ROOT, check=True, capture_output=True
    ).stdout
    return f"series:{json.loads(out)['series']['id']}"


def main() -> None:
    started = time.monotonic()
    if len(sys.argv) == 1:
        shutil.rmtree(ROOT / STATE, ignore_errors=True)
    say("Take a folder in, as it is. One file in it is damaged: the rest goes in, and the exit code is 3.")
    run("ingest", "examples/lake", expect=3)
    say("What is in, and what is not, and why.")
    run("status")
    say("Search: a word of a text, a value of a cell, a name in another script.")
    run("search", "dams on the Colorado River", "-k", "2")
    run("search", "moons discovered by Galileo", "-k", "1")
    run("search", "水素", "-k", "1")
    say("What is in a table before opening it: types, units, meanings from the publisher's README.")
    run("inspect", "states.csv")
    say("SQL over a Parquet file and a CSV. The last line says what the join did with the rows.")
    run(
        "sql",
        "select s.region, count(*) as parks, min(p.established) as first from t('parks.parquet') p "
        "join t('states.csv') s on p.state = s.code group by 1 order by 2 desc",
    )
    say("Four files are one table of four years. Their total rows are not counted as states.")
    run(
        "sql",
        "select year, sum(Population) as people, arg_max(State, Population) as largest "
        f"from t('{series_of('population-2020.csv')}') group by 1 order by 1",
    )
    say("What else is there about the same things?")
    run("related", "parks.parquet")
    say("A warehouse of SQL files: what does a change of one table reach?")
    run("graph", "impact", "staging.stations", *WAREHOUSE, places=False)
    say("Questions, without any model: each answer comes with its proof. One that a table answers:")
    largest = "Which state had the largest population in 2020?"
    run("ask", largest)
    say("One that a sentence answers:")
    run("ask", "When was Apollo 13 launched?")
    say("One about the warehouse:")
    run("ask", "Which tables feed mart.punctuality?", "--graph", *WAREHOUSE[1:], places=False)
    say("An answer can be kept, and computed again at any time: does it still hold?")
    kept = STATE / "answer.json"
    keep(kept, "ask", largest, "--json")
    run("replay", str(kept))
    say(f"That took {time.monotonic() - started:.0f} s. Next:")
    print(
        "  . .venv/bin/activate\n"
        "  headwater --help                           the other verbs; each has --help and --json\n"
        "  headwater ask '…' --table my.csv           a question about one file, no lake needed\n"
        "  headwater ingest ~/my-data                 your own folder, or s3://bucket/prefix\n"
        "  cd ~/my-data && headwater search 'words'   below a lake no --lake is needed\n"
        "  docs/                                      Python, SQL, formats, rules of the layout"
    )


if __name__ == "__main__":
    main()
