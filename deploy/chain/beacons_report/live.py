"""Reports of all stores, made anew every few seconds and served on this machine alone: for deploy/chain/quickstart."""

import argparse
import functools
import http.server
import sys
import threading
import time
from pathlib import Path
from typing import Any

import jinja2
import psycopg

from beacons_collector.options import database_url

from .commands import write
from .figures import counted
from .gathering import look
from .page import FOLDER, kept, page_of
from .sentences import summary
from .source import CannotReport

EVERY_S = 5
MOST_STORES = 20


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
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(exist_ok=True)
    make(chosen.database, chosen.folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(chosen.folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    while True:
        time.sleep(EVERY_S)
        try:
            make(chosen.database, chosen.folder)
        except psycopg.Error as error:
            print(f"report: {' '.join(str(error).split())}", file=sys.stderr, flush=True)


def make(database: str, folder: Path) -> None:
    """The page of each store that has figures, and an index of them."""
    with psycopg.connect(database, connect_timeout=10, application_name="beacons_report") as connection:
        sites = [site for site, in connection.execute(
            "SELECT site FROM beacons.store UNION SELECT site FROM beacons.region_gateway ORDER BY 1 LIMIT %s", [MOST_STORES]).fetchall()]
    stores = []
    for number, site in enumerate(sites):
        try:
            found, enough = look(database, site, None)
        except CannotReport as reason:
            stores.append({"name": site, "file": None, "words": str(reason), "visits": ""})
            continue
        # A site may have letters that a file's name may not.
        file = f"store-{number + 1}.html"
        write(folder / file, page_of(found, enough, EVERY_S).encode())
        region = found.regions[0]
        stores.append({"name": found.place.name, "file": file, "words": kept(summary(region, found.week, found.alone, enough)[0]),
                       "visits": counted(region.visits, "visit")})
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined)
    index = environment.get_template("index.html").render(stores=stores, refresh_s=EVERY_S, style=(FOLDER / "style.css").read_text())
    write(folder / "index.html", index.encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
