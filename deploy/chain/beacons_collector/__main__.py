"""`python -m beacons_collector`, as deploy/chain/collector runs it."""

import sys

from .collector import main

sys.exit(main(sys.argv[1:]))
