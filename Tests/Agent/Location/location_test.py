"""Runs every test of this folder's files with `location_test.py BEACOND`. Each function named test_… is one check; its docstring
is the rule that it holds. One line is printed for each."""

import sys
import traceback

import circles
import events
import fixes
import services


def main():
    passed = failed = 0
    for module in (fixes, services, circles, events):
        for name, test in [item for item in vars(module).items() if item[0].startswith("test_")]:
            try:
                test()
                passed += 1
                print(f"ok: {module.__name__}: {test.__doc__}")
            except Exception:
                failed += 1
                print(f"failed: {module.__name__}: {name}: {test.__doc__}")
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
