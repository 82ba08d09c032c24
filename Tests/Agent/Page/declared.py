"""The page follows the contract: its copy is what the schemas say, and what is added to them is found missing wherever the page speaks of it."""
import importlib.machinery
import importlib.util
import subprocess
import tempfile

import made_up
from bench import ROOT
from verdict import check

NEEDED = ["deploy/page", "deploy/chain/beacons_collector", "Tests/Tools/page-contract", "Tests/Agent/Page"]


def rules_of(browser, root):
    """Each rule of the page's modules below a folder, and why it does not hold: null where it does."""
    loader = importlib.machinery.SourceFileLoader("page_build", str(root / "deploy/page/build"))
    build = importlib.util.module_from_spec(importlib.util.spec_from_loader("page_build", loader))
    loader.exec_module(build)
    tab = browser.tab("about:blank")
    tab.value("{" + build.bundle(root / "Tests/Agent/Page/rules.js") + "\n}")
    return tab.value("globalThis.results")


def forgotten(browser, *changes):
    """The rules that fail with so changed schemas once the page's copy is made anew, and what was said of the old copy and of the new one."""
    with tempfile.TemporaryDirectory() as folder:
        tree = made_up.tree(folder, *changes, also=NEEDED)
        old, _, new = [subprocess.run([tree / "Tests/Tools/page-contract", *options], capture_output=True, text=True, check=False)
                       for options in (["--check"], [], ["--check"])]
        return [name for name, why in rules_of(browser, tree) if why is not None], old, new


def declared(browser):
    done = subprocess.run([ROOT / "Tests/Tools/page-contract", "--check"], capture_output=True, text=True, check=False)
    check("the page's copy of the contract is what the schemas say", done.returncode == 0, done.stderr)
    for what, change, named in (
            ("kind of message", made_up.add_kind, ["each kind is shown, or is one that the page has no use for"]),
            ("condition of a radio", made_up.add_radio, ["each condition of a radio has its words"]),
            ("field", made_up.add_field, []), ("word", made_up.add_word, []), ("figure", made_up.add_figure, [])):
        failed, old, new = forgotten(browser, change)
        check(f"without a new {what} the copy is wrong, and what to run is said", old.returncode == 1 and "run Tests/Tools/page-contract" in old.stderr, old)
        check(f"a new {what} is in the next copy, and rules name the places without it", new.returncode == 0 and failed == named, f"{new} {failed}")
