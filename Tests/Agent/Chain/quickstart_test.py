"""deploy/chain/quickstart, as a newcomer runs it: steps with their durations, reports, numbers that are the database's, and nothing that keeps running."""

import contextlib
import datetime
import os
import pathlib
import pty
import re
import shlex
import signal
import subprocess
import threading
import unittest
import urllib.request

import psycopg

from servers import LONGEST_WAIT_S, ROOT, ended, wait_until

FOLDER = ROOT / ".quickstart-chain"
SITES = ("berlin-17", "chicago-4", "singapore-2")
STEPS = ["Starting a broker and a database", "Loading five weeks of three stores, as a collector would", "Counting their days",
         "Starting the collector, and the stores' gateways", "Making the reports"]
CLEAR = "\x1b[2J"
HEADING = r"^ *site +\| +store "


class Quickstart(unittest.TestCase):
    on_terminal = False

    def start(self):
        """With a terminal of its own, where `on_terminal` is set."""
        self.lines = []
        ours, theirs = pty.openpty() if self.on_terminal else os.pipe()
        self.command = subprocess.Popen([ROOT / "deploy/chain/quickstart"], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, start_new_session=True)
        os.close(theirs)
        self.addCleanup(self.kill)
        threading.Thread(target=self.read, args=(open(ours, encoding="utf-8", errors="replace"),), daemon=True).start()

    def read(self, output):
        # A terminal without a program is an error to its reader.
        with output, contextlib.suppress(OSError):
            for line in output:
                self.lines.append(line.rstrip("\r\n"))

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.command.pid, signal.SIGKILL)
        self.command.wait(LONGEST_WAIT_S)

    def wait_for(self, pattern):
        """The first line like that, which is waited for."""
        def found():
            self.assertTrue(self.command.poll() is None or self.find(pattern), "it ended:\n" + "\n".join(self.lines[-40:]))
            return self.find(pattern)
        # Making the libraries' environment comes first where there is none.
        for _ in range(3):
            with contextlib.suppress(AssertionError):
                wait_until(found, pattern)
                return self.find(pattern)
        raise AssertionError(f"no {pattern}:\n" + "\n".join(self.lines[-40:]))

    def find(self, pattern):
        return next((line for line in list(self.lines) if re.search(pattern, line)), None)

    def ready(self):
        self.start()
        self.wait_for(r"^Ready after \d+ s\.")
        self.wait_for(HEADING)
        url = re.search(r"postgresql://\S+", self.wait_for("^psql "))[0]
        self.connection = psycopg.connect(url, autocommit=True)
        self.addCleanup(self.connection.close)

    def query(self, text, **values):
        return self.connection.execute(text, values).fetchall()

    def page(self, name):
        address = re.search(r"http://\S+", self.find("this week so far:"))[0]
        with urllib.request.urlopen(address + name, timeout=LONGEST_WAIT_S) as answer:
            return answer.read().decode()

    def stop(self, number, status):
        os.killpg(self.command.pid, number) if number == signal.SIGINT else self.command.send_signal(number)
        self.assertEqual(ended(self.command, "deploy/chain/quickstart"), status)
        wait_until(lambda: not leftovers(), lambda: f"the end of {leftovers()}")

    def test_it_has_the_steps_and_the_numbers_that_it_shows_and_control_c_ends_all(self):
        began = datetime.datetime.now(datetime.UTC)
        self.ready()
        self.assertRegex(self.lines[0], "^(Installing|Ready in about a minute)")
        self.assertEqual([line.split("] ")[1].removesuffix(" …") for line in self.lines if re.match(r"\[\d/5\] ", line)], STEPS)
        with self.subTest("no time is in the future"):
            latest = self.query("SELECT max(at), max(entered_at), max(last_heard_at), bool_and(payload ->> 'clock' = 'synced') FROM beacons.event")
            self.assertTrue(all(time <= datetime.datetime.now(datetime.UTC) for time in latest[0][:3]) and latest[0][3], latest)
            self.assertEqual(self.query("SELECT count(*) FROM beacons.store_visit WHERE left_at > now() OR entered_at > now()"), [(0,)])
        with self.subTest("five weeks lie behind"):
            ((first, events),) = self.query("SELECT min(entered_at), count(*) FROM beacons.event")
            self.assertTrue(35 <= (began - first).days <= 42, first)
            self.assertGreaterEqual(events, int(re.match(r" +([\d,]+) events", self.find(" events$"))[1].replace(",", "")))
        with self.subTest("the terminal shows the database's numbers"):
            shown = self.visits_shown()
            self.assertEqual(sorted(shown), list(SITES))
            for site, visits in shown.items():
                ((least,),) = self.query("SELECT count(*) FROM beacons.store_visit v JOIN beacons.store s USING (site) WHERE site = %(site)s "
                                         "AND v.day = (%(at)s AT TIME ZONE s.time_zone)::date AND entered_at < %(at)s", site=site, at=began)
                ((most,),) = self.query("SELECT count(*) FROM beacons.store_visit v JOIN beacons.store s USING (site) WHERE site = %(site)s "
                                        "AND v.day = (now() AT TIME ZONE s.time_zone)::date", site=site)
                self.assertTrue(least <= visits <= most, f"{site}: {least} <= {visits} <= {most}")
        with self.subTest("each question that it prints has an answer"):
            questions = [shlex.split(line) for line in self.lines if line.startswith("psql ")]
            answers = [subprocess.run(question + ["-XAt"], capture_output=True, text=True, check=True).stdout for question in questions]
            self.assertEqual(len(answers), 3)
            self.assertIn("berlin-17", answers[1])
            self.assertRegex(answers[2], "^chicago-4.Cart 12")
        with self.subTest("the reports are last week's and have the database's visits"):
            for site in SITES:
                self.assertTrue((FOLDER / f"reports/{site}.pdf").read_bytes().startswith(b"%PDF"))
                page = self.page(f"{site}.html")
                self.assertEqual(page, (FOLDER / f"reports/{site}.html").read_text())
                (monday,) = re.findall(r"Week (\d{4}-W\d\d)</p>", page)
                monday = datetime.date.fromisocalendar(*map(int, monday.split("-W")), 1)
                days = self.query("SELECT visits FROM beacons.occupancy_daily WHERE site = %(site)s AND day >= %(first)s AND day < %(first)s::date + 7 ORDER BY day",
                                  site=site, first=monday)
                shown = re.findall(r'<tr><th scope="row"><abbr[^\n]*?</th><td>([\d,]+|–)</td>', page)[:7]
                self.assertEqual([number for number in shown if number != "–"], [f"{visits:,}" for visits, in days])
                self.assertIn(f'href="{site}.html"', self.page("index.html"))
                self.assertIn(", so far", self.page(f"{site}-so-far.html"))
        with self.subTest("only what was made up needs help"):
            help_needed = {site: re.findall(r"<li>([^<]+ needs? help: see[^<]*|No gateway and[^<]*)</li>", self.page(f"{site}.html")) for site in SITES}
            self.assertEqual([words[0].partition(":")[0] for words in help_needed.values()],
                             ["1 beacon needs help", "1 beacon needs help", "No gateway and no beacon needs help."])
        with self.subTest("a heat map lies over the store's plan"):
            for site in SITES:
                self.assertIn("<image ", self.page(f"{site}.html"))
        with self.subTest("the stores are ranked"):
            self.assertEqual(re.findall(r'class="name store">([^<]+)</th>', self.page("all-stores.html"))[0], "Berlin, Alexanderplatz")
        with self.subTest("gateways go on through the broker and the collector"):
            before = datetime.datetime.now(datetime.UTC)
            wait_until(lambda: self.query("SELECT count(DISTINCT site) FROM beacons.health WHERE at > %(before)s", before=before) == [(3,)], "a health of each store")
            self.assertEqual(self.query("SELECT count(*) FROM beacons.rejected"), [(0,)])
            self.assertEqual(self.query("SELECT count(*) FROM beacons.missing"), [(0,)])
        self.stop(signal.SIGINT, 130)
        self.assertRaises(psycopg.Error, self.query, "SELECT")

    def visits_shown(self):
        """Of the last whole table."""
        lines = list(self.lines)
        begin = max(number for number, line in enumerate(lines[:-5]) if re.match(HEADING, line))
        rows = [[cell.strip() for cell in line.split("|")] for line in lines[begin + 2:begin + 5]]
        return {row[0]: int(row[3]) for row in rows}

    def test_a_terminal_keeps_the_head_above_the_visits_and_sigterm_ends_all(self):
        self.on_terminal = True
        self.ready()
        wait_until(lambda: sum(CLEAR in line for line in self.lines) >= 2, "the table again")
        wait_until(lambda: any(re.match(HEADING, line) for line in self.screen()), "the whole screen")
        screen = "\n".join(self.screen())
        for words in ("Three stores that are made up", "this week so far: http://", "Ask the database:", "Stop: Ctrl-C"):
            self.assertIn(words, screen)
        self.stop(signal.SIGTERM, 143)

    def screen(self):
        """Returns the lines since the terminal was cleared."""
        lines = list(self.lines)
        return lines[max(number for number, line in enumerate(lines) if CLEAR in line):]


def leftovers():
    """Programs that still hold the quickstart's lock, which all that it starts inherits."""
    lock = os.path.realpath(FOLDER / "lock")
    held = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            files = [os.readlink(f"/proc/{process}/fd/{number}") for number in os.listdir(f"/proc/{process}/fd")]
            name = pathlib.Path(f"/proc/{process}/comm").read_text().strip()
        except OSError:
            continue
        if lock in files:
            held.append(f"{name} ({process})")
    return held
