"""Reports of all stores, served on this machine alone: last week's as HTML and PDF, and the running week's anew every few seconds. For deploy/chain/quickstart."""

import argparse
import functools
import http.server
import re
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import jinja2
import psycopg

from beacons_collector.options import database_url

from .commands import write
from .figures import counted
from .gathering import look
from .model import StoreWeek
from .page import FOLDER, kept, page_of
from .pdf import pdf_of
from .plan import Plan, read_plan
from .ranking import chain_page
from .sentences import summary
from .source import CannotReport
from .weeks import monday_of

# Making the reports of three stores takes two seconds.
EVERY_S = 20
MOST_STORES = 20
# A site may have signs that a file's name may not.
FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", re.ASCII)


@dataclass
class Store:
    """A line of the index. `files` are last week's."""

    site: str
    name: str
    zone: ZoneInfo
    files: list[str]
    visits: str
    words: str
    so_far: str | None = None
    visits_so_far: str = ""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of the folder, without a line for each request."""

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="beacons_report.live")
    parser.add_argument("--database", required=True, type=database_url)
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--plan", nargs=4, action="append", default=[], metavar=("SITE", "PICTURE", "METRES", "CONFIG"))
    chosen = parser.parse_args(arguments)
    plans = {site: read_plan(Path(picture), float(width), Path(configuration)) for site, picture, width, configuration in chosen.plan}
    chosen.folder.mkdir(exist_ok=True)
    stores = [last_week(chosen.database, chosen.folder, number, site, plans.get(site)) for number, site in enumerate(sites(chosen.database))]
    if any(store.files for store in stores):
        write(chosen.folder / "all-stores.html", chain_page(chosen.database, None).encode())
    make(chosen.database, chosen.folder, stores, plans)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(chosen.folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    while True:
        time.sleep(EVERY_S)
        try:
            make(chosen.database, chosen.folder, stores, plans)
        except psycopg.Error as error:
            print(f"report: {' '.join(str(error).split())}", file=sys.stderr, flush=True)


def sites(database: str) -> list[str]:
    with psycopg.connect(database, connect_timeout=10, application_name="beacons_report") as connection:
        return [site for site, in connection.execute(
            "SELECT site FROM beacons.store UNION SELECT site FROM beacons.region_gateway ORDER BY 1 LIMIT %s", [MOST_STORES]).fetchall()]


def last_week(database: str, folder: Path, number: int, site: str, plan: Plan | None) -> Store:
    """Writes the report that the store's manager gets."""
    try:
        found, enough = look(database, site, None)
    except CannotReport as reason:
        return Store(site, site, ZoneInfo("UTC"), [], "", str(reason))
    base = site if FILE_NAME.fullmatch(site) else f"store-{number + 1}"
    page = page_of(found, enough, plan=plan)
    files = [f"{base}.html"]
    write(folder / files[0], page.encode())
    try:
        write(folder / f"{base}.pdf", pdf_of(page))
        files.append(f"{base}.pdf")
    except CannotReport as reason:
        print(f"report: {reason}", file=sys.stderr, flush=True)
    return Store(site, found.place.name, found.week.zone, files, visits_of(found), first_words(found, enough))


def visits_of(found: StoreWeek) -> str:
    return counted(found.regions[0].visits, "visit")


def first_words(found: StoreWeek, enough: float) -> str:
    return kept(summary(found.regions[0], found.week, found.alone, enough, found.place.carriers)[0])


def make(database: str, folder: Path, stores: list[Store], plans: dict[str, Plan]) -> None:
    """The running week of each store that has one, and the index."""
    for store in stores:
        if not store.files:
            continue
        try:
            found, enough = look(database, store.site, monday_of(datetime.now(store.zone).date()))
        except CannotReport:
            store.so_far = None
            continue
        store.so_far = store.files[0].replace(".html", "-so-far.html")
        store.visits_so_far = visits_of(found)
        write(folder / store.so_far, page_of(found, enough, EVERY_S, plans.get(store.site)).encode())
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined)
    index = environment.get_template("index.html").render(stores=stores, refresh_s=EVERY_S, style=(FOLDER / "style.css").read_text())
    write(folder / "index.html", index.encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
