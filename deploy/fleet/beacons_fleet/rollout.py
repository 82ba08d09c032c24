"""A change of settings in stages, as a struct with a state: each call takes what has happened, and returns what to publish."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from beacons_collector.plain import plain

from .gate import Before, Verdict, judge, trouble
from .gateways import Gateway, print_line

# The seconds within which a gateway answers a message.
ANSWER_S = 120.0


def sizes(stages: str, count: int) -> list[int]:
    """Returns how many gateways have the change after each stage: "1,10%,100%" of 500 are 1, 50 and 500.

    The last stage always has all of them. A stage that of so few gateways has no more than the one before is left out. Raises ValueError with the reason.
    """
    ends: list[int] = []
    last = {False: 0, True: 0}
    for stage in stages.split(","):
        if not re.fullmatch(r"\s*[0-9]{1,9}\s*%?\s*", stage):
            raise ValueError(f"{stage.strip() or 'nothing'}: must be a number of gateways or a percentage")
        number, is_percentage = int(stage.strip().rstrip("% ")), stage.strip().endswith("%")
        if number == 0 or is_percentage and number > 100:
            raise ValueError(f"{stage.strip()}: must be from 1, and at most 100%")
        if number < last[is_percentage]:
            raise ValueError(f"{stages}: each stage must have more gateways than the one before")
        last[is_percentage] = number
        end = min(-(-count * number // 100) if is_percentage else number, count)
        if not ends or end > ends[-1]:
            ends.append(end)
    return ends if ends[-1] == count else [*ends, count]


@dataclass
class Change:
    """The change of one gateway."""

    before: Before
    # The tables that the broker had for it, to go back to.
    former: dict[str, Any]
    gateway: Gateway
    published_at: float | None = None
    applied_at: float | None = None
    # Whether it has passed the gate, and since when it has been away or deaf after that.
    has_passed: bool = False
    bad_since: float | None = None
    verdict: Verdict = field(default_factory=lambda: Verdict("waiting"))


@dataclass
class Publication:
    """A message to publish: settings/desired of a gateway."""

    name: str
    tables: dict[str, Any]
    version: int
    # Whether it gives the gateway its former tables back. Then it is signed for that gateway alone.
    is_return: bool = False


class Rollout:
    """Stages of one change. `advance` is called after each message and at least once a second."""

    def __init__(self, gateways: list[Gateway], tables: dict[str, Any], stages: str, soak_s: float, max_offline: int = 0,
                 print_line: Callable[[str], None] = print_line) -> None:
        # The first stage has gateways of any store: their order follows from their names, and is not that of the names.
        ordered = sorted(gateways, key=lambda one: (not one.is_online, hashlib.sha256(one.name.encode()).digest()))
        self.changes = [Change(Before.of(one), one.former_tables, one) for one in ordered]
        self.tables = tables
        self.ends = sizes(stages, len(self.changes))
        self.soak_s, self.max_offline, self.print_line = soak_s, max_offline, print_line
        self.version = max((one.highest_version for one in gateways), default=0) + 1
        self.stage = -1
        # stages, back or done.
        self.state = "stages"
        self.failures: list[tuple[str, str]] = []
        # The gateways that did not report their former tables after a failure.
        self.not_back = 0

    @property
    def current(self) -> list[Change]:
        """The changes that have been published so far."""
        return self.changes[:self.ends[self.stage]] if self.stage >= 0 else []

    @property
    def is_done(self) -> bool:
        return self.state == "done"

    def advance(self, now: float) -> list[Publication]:
        if self.state == "stages":
            if self.stage < 0:
                return self.begin_stage(now)
            self.judge_all(now)
            if self.failures:
                return self.go_back(now)
            if all(change.verdict.is_pass for change in self.current):
                self.print_line(f"stage {self.stage + 1}: {len(self.current)} of {len(self.changes)} gateways have version {self.version}")
                return self.begin_stage(now)
        elif self.state == "back":
            self.wait_for_return(now)
        return []

    def begin_stage(self, now: float) -> list[Publication]:
        done = len(self.current)
        self.stage += 1
        if self.stage >= len(self.ends):
            self.state = "done"
            return []
        new = self.current[done:]
        unknown = [change.gateway.name for change in self.changes if not change.gateway.is_former_known]
        if self.stage == 0 and unknown:
            self.print_line(f"{len(unknown)} gateways use settings that the broker does not have, and would go back to their files: {listed(unknown)}")
        self.print_line(f"stage {self.stage + 1}: publishes version {self.version} for {len(new)} gateways")
        for change in new:
            # Stages before have taken time: a gateway counts as it was just before its own change.
            change.before, change.former = Before.of(change.gateway), change.gateway.former_tables
            change.published_at = now
        return [Publication(change.gateway.name, self.tables, self.version) for change in new]

    def judge_all(self, now: float) -> None:
        lost = 0
        for change in self.current:
            change.verdict = self.judged(change, now)
            if change.verdict.is_failure:
                lost += not change.gateway.is_online
                if change.gateway.is_online or lost > self.max_offline:
                    self.failures.append((change.gateway.name, change.verdict.why))
                else:
                    change.verdict = Verdict("passed", "is offline, and as many may be")

    def judged(self, change: Change, now: float) -> Verdict:
        reported = change.gateway.reported
        is_own = reported.get("version") == self.version
        if is_own and reported.get("outcome") != "applied":
            return Verdict("failed", f"{plain(reported.get('outcome'))}: {errors(reported)}")
        if not change.before.is_online:
            return Verdict("passed")
        published_at = now if change.published_at is None else change.published_at
        if change.applied_at is None and is_own and change.gateway.in_effect.get("version") == self.version:
            change.applied_at = now
        if change.applied_at is None:
            if now - published_at < ANSWER_S:
                return Verdict("waiting", "has not answered yet")
            return Verdict("failed", f"did not report within {ANSWER_S:.0f} s: it may be offline, or have [fleet] settings = \"off\"")
        if change.has_passed:
            return self.judged_again(change, now)
        verdict = judge(change.before, change.gateway, change.applied_at, now, self.soak_s, ANSWER_S)
        change.has_passed = verdict.is_pass
        return verdict

    def judged_again(self, change: Change, now: float) -> Verdict:
        """A gateway that has passed may connect again while others are waited for: of thousands some always do. It may not stay away."""
        why = trouble(change.before, change.gateway)
        if not why:
            change.bad_since = None
            return Verdict("passed")
        change.bad_since = now if change.bad_since is None else change.bad_since
        return Verdict("failed" if now - change.bad_since >= ANSWER_S else "waiting", why)

    def interrupt(self, now: float) -> list[Publication]:
        """The operator stops the change: it is taken back."""
        if self.state != "stages":
            return []
        self.failures.append(("", "stopped by the operator"))
        return self.go_back(now)

    def pause(self, span_s: float) -> None:
        """The broker was away for a time that counts against no gateway."""
        for change in self.changes:
            if change.published_at is not None:
                change.published_at += span_s
            if change.applied_at is not None:
                change.applied_at += span_s
            if change.bad_since is not None:
                change.bad_since += span_s

    def go_back(self, now: float) -> list[Publication]:
        """Publishes the former tables of each gateway that has the change, under a new version."""
        self.state = "back"
        for name, why in self.failures:
            self.print_line(f"{name or 'the change'}: {why}")
        changed = self.current
        self.version += 1
        self.print_line(f"stopped at stage {self.stage + 1}: publishes the former tables for {len(changed)} gateways as version {self.version}")
        for change in changed:
            change.published_at, change.applied_at = now, None
        return [Publication(change.gateway.name, change.former, self.version, is_return=True) for change in changed]

    def wait_for_return(self, now: float) -> None:
        waiting = [change for change in self.current if change.before.is_online and change.gateway.in_effect.get("version") != self.version]
        refused = [change for change in waiting
                   if change.gateway.reported.get("version") == self.version and change.gateway.reported.get("outcome") != "applied"]
        late = [change for change in waiting if now - (change.published_at or now) >= ANSWER_S]
        if waiting and len(refused) + len(late) < len(waiting):
            return
        for change in waiting:
            why = errors(change.gateway.reported) if change in refused else f"did not report within {ANSWER_S:.0f} s; it takes them when it is back"
            self.print_line(f"{change.gateway.name}: is not back at its former tables: {why}")
        self.print_line(f"{len(self.current) - len(waiting)} gateways are back at their former tables")
        self.not_back = len(waiting)
        self.state = "done"


def listed(names: list[str]) -> str:
    """Some names in one line."""
    return plain(", ".join(names[:10]), 500) + (" …" if len(names) > 10 else "")


def errors(reported: dict[str, Any]) -> str:
    """The errors of a report in one line."""
    reasons = []
    listed_errors = reported.get("errors")
    for error in listed_errors[:5] if isinstance(listed_errors, list) else []:
        if not isinstance(error, dict):
            continue
        place = f"{error.get('table', '')}{'[%s]' % error['index'] if 'index' in error else ''}.{error.get('key', '')}".strip(".")
        reasons.append(plain(f"{place + ': ' if place else ''}{error.get('reason', '')}", 500))
    return "; ".join(reasons) or "no reason given"
