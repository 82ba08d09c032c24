"""The page follows the contract: what is added to the schemas is missed in its copy, and wherever the page speaks of it. Contract holds the copy itself."""
import importlib.machinery
import importlib.util
import subprocess
import tempfile

import made_up
from verdict import check

# With the README and the articles, which name each kind: Tests/Tools/contract writes there, too.
NEEDED = ["deploy/page", "deploy/broker", "deploy/chain", "README.md", "Sources/beacond/Documentation.docc", "Tests/Agent/Page"]


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
        old, _, new = [subprocess.run([made_up.ROOT / "Tests/Tools/contract", "--root", tree, *options], capture_output=True, text=True, check=False)
                       for options in (["--check"], [], ["--check"])]
        return [name for name, why in rules_of(browser, tree) if why is not None], old, new


def declared(browser):
    for what, change, named in (
            ("kind of message", made_up.add_kind, ["each kind is shown, or is one that the page has no use for"]),
            ("condition of a radio", made_up.add_radio, ["each condition of a radio has its words"]),
            ("field", made_up.add_field, []), ("word", made_up.add_word, []), ("figure", made_up.add_figure, [])):
        failed, old, new = forgotten(browser, change)
        check(f"without a new {what} the copy is wrong, and what to run is said", old.returncode == 1 and "contract.js is not what the schemas in deploy/contract say: run Tests/Tools/contract" in old.stderr, old)
        check(f"a new {what} is in the next copy, and rules name the places without it", new.returncode == 0 and failed == named, f"{new} {failed}")
