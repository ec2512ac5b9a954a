"""Run the command line with `python -m headwater`."""

from headwater.cli import main

main()
