"""The gate between two stages of a change: whether the gateways of a stage work as well as before.

A gateway passes once it has been online without a break for the soak time, with a radio that hears if it heard before. Settings and upgrades
share the rule.
"""

from dataclasses import dataclass

from beacons_collector.plain import plain

from .gateways import Gateway


@dataclass(frozen=True)
class Before:
    """A gateway before the change."""

    name: str
    is_online: bool
    hears: bool
    radio: str

    @staticmethod
    def of(gateway: Gateway) -> "Before":
        return Before(gateway.name, gateway.is_online, gateway.hears, gateway.radio)


@dataclass(frozen=True)
class Verdict:
    """passed, waiting or failed, with the reason of a failure or of the wait."""

    word: str
    why: str = ""

    @property
    def is_failure(self) -> bool:
        return self.word == "failed"

    @property
    def is_pass(self) -> bool:
        return self.word == "passed"


def judge(before: Before, gateway: Gateway, changed_at: float, now: float, soak_s: float, limit_s: float) -> Verdict:
    """Judges a gateway that has been changed.

    changed_at is when it took the change, now the present, both by one clock in seconds. Within limit_s after the change it may start again
    and lose its line for a moment.
    """
    if not before.is_online:
        return Verdict("passed", "was offline before, and takes the change when it is back")
    since_change_s = now - changed_at
    if before.hears and gateway.is_online and not gateway.hears:
        # An adapter needs some seconds to start.
        if since_change_s < limit_s:
            return Verdict("waiting", f"the radio does not hear yet: {gateway.radio}")
        return Verdict("failed", trouble(before, gateway))
    online_s = 0.0 if gateway.online_since is None else now - max(gateway.online_since, changed_at)
    if online_s >= soak_s and gateway.online_since is not None:
        return Verdict("passed")
    if since_change_s >= limit_s + soak_s:
        return Verdict("failed", f"was not online for {soak_s:.0f} s without a break within {limit_s + soak_s:.0f} s after the change")
    if gateway.online_since is None:
        return Verdict("waiting", "is offline")
    return Verdict("waiting", f"has been online for {online_s:.0f} of {soak_s:.0f} s")


def trouble(before: Before, gateway: Gateway) -> str:
    """Returns how the gateway is worse than before the change; nothing where it is not."""
    if before.is_online and not gateway.is_online:
        return "is offline"
    if before.hears and not gateway.hears:
        return f"the radio was {before.radio} and is {gateway.radio}: {plain(gateway.status.get('remedy', ''), 200)}".rstrip(": ")
    return ""
