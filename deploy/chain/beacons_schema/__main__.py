"""The commands of the database. Help needs no library, so it comes before any is installed."""

import sys

from .options import HELP, parse

if HELP.intersection(sys.argv[1:]):
    parse(sys.argv[1:])

from .commands import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
