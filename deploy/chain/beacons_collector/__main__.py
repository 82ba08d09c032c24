"""`python -m beacons_collector`, as deploy/chain/collector runs it. Help needs no library, so it comes before any is installed."""

import sys

from .options import HELP, parse

if HELP.intersection(sys.argv[1:]):
    parse(sys.argv[1:])

from .collector import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
