#!/usr/bin/env python3
"""Checks the links of the project's documents to files, and to headings in them, and that all rows of a table have as many cells.

    Tests/Tools/links.py     status 1, and a line for each link that leads nowhere and each row of another length
"""
import re
import subprocess
import sys

from project import ROOT



def anchors(text):
    """The names of a document's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def uneven(text):
    """The rows of tables that have more or fewer cells than their table's first row."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for table in re.findall(r"(?:^ *\|.*\n)+", text + "\n", flags=re.M):
        # A bar in `code` or behind a backslash is text.
        lengths = [len(re.sub(r"`[^`\n]*`|\\\|", "", row).split("|")) for row in table.splitlines()]
        yield from (row.strip() for row, length in zip(table.splitlines(), lengths) if length != lengths[0])


def main():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    count, lost = 0, []
    for name in names.stdout.split():
        page = ROOT / name
        # Code is no text: neither blocks nor `names`.
        text = re.sub(r"^```.*?^```|`[^`\n]*`(?!\])", "", page.read_text(), flags=re.M | re.S)
        lost += [f"{name}: another length than the table: {row[:80]}" for row in uneven(page.read_text())]
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?:", target):
                continue
            count += 1
            file, _, anchor = target.partition("#")
            found = (page.parent / file).resolve() if file else page
            if not found.exists() or anchor and anchor not in anchors(found.read_text()):
                lost.append(f"{name}: {target}")
    print("\n".join([*lost, f"{count} links"]))
    return bool(lost) or not count


sys.exit(main())
