"""Gateways and beacons that need help, as the database knows them now, and why in words."""

from datetime import datetime
from typing import Any

from .model import Device, Devices, Place, clean, named
from .source import Source, times
from .weeks import Week

MOST_DEVICES = 20
# A gateway that heard less of the opening time needs help.
HEARD_WELL = 0.9
# As the article Beacons advises: change the battery when fewer days are left.
FEW_DAYS = 90
OWN_AGENT = "site"
NO_HINT = " Look at its Bluetooth adapter."

GATEWAYS = """WITH open AS (
    SELECT coalesce(range_agg(piece), '{}') AS during FROM beacons.opening_of(%(site)s, %(first)s, %(end)s) o CROSS JOIN LATERAL unnest(o.during) piece
), heard AS (
    SELECT gateway, range_agg(reported) AS during FROM beacons.hearing(%(site)s, %(from)s, %(until)s) WHERE hears AND NOT isempty(reported) GROUP BY 1
), known AS (
    SELECT gateway FROM beacons.region_gateway WHERE site = %(site)s UNION SELECT gateway FROM beacons.status WHERE site = %(site)s
)
SELECT k.gateway, s.state, s.radio, s.at, s.payload ->> 'clock', s.payload ->> 'remedy',
    CASE WHEN w.received_at >= s.received_at AND w.received_at < now() - beacons.silence_patience() THEN w.at END,
    beacons.seconds(coalesce(h.during, '{}') * o.during) / nullif(beacons.seconds(o.during * tstzmultirange(tstzrange(%(from)s, %(until)s))), 0)
FROM known k CROSS JOIN open o LEFT JOIN heard h USING (gateway)
LEFT JOIN LATERAL (
    SELECT * FROM beacons.status s WHERE s.site = %(site)s AND s.gateway = k.gateway ORDER BY s.received_at DESC, s.id DESC LIMIT 1) s ON true
LEFT JOIN beacons.last_word w ON w.site = %(site)s AND w.gateway = k.gateway
ORDER BY k.gateway"""
SILENT = """SELECT asset, uuid, major, minor, last_heard_at, heard_in, count(*) OVER () FROM beacons.beacon_silent
WHERE site = %(site)s ORDER BY last_heard_at NULLS FIRST, asset, uuid, major, minor LIMIT %(most)s"""
BATTERIES = """SELECT asset, uuid, major, minor, battery_percent, battery_mv, days_left, count(*) OVER () FROM (
    SELECT *, CASE WHEN battery_percent <= beacons.lowest_percent() OR battery_mv <= beacons.lowest_mv() THEN 0 ELSE days_left END AS left_now
    FROM beacons.beacon_battery WHERE site = %(site)s AND last_heard_at > now() - interval '30 days') b
WHERE left_now < %(few)s ORDER BY left_now, asset, uuid, major, minor LIMIT %(most)s"""
STRANGERS = """SELECT count(*) FROM beacons.beacon_stranger WHERE site = %(site)s AND last_heard_at > now() - interval '1 day'
AND EXISTS (SELECT FROM beacons.register r WHERE r.site = %(site)s)"""
AS_OF = """SELECT greatest((SELECT max(received_at) FROM beacons.status WHERE site = %(site)s),
    (SELECT max(received_at) FROM beacons.last_word WHERE site = %(site)s))"""


def devices_of(source: Source, place: Place, week: Week) -> Devices:
    """The devices that need help: gateways first that are gone, then those that heard little."""
    found = Devices(as_of=source.one(AS_OF, site=place.site), strangers=source.one(STRANGERS, site=place.site))
    for row in source.rows(GATEWAYS, site=place.site, **times(week)):
        # The store's own agent is a program, and no box on a wall.
        found.gateways_known += row[0] != OWN_AGENT
        if device := gateway_in_need(*row):
            found.gateways_in_all += 1
            if len(found.gateways) < MOST_DEVICES:
                found.gateways.append(device)
    silent = source.rows(SILENT, site=place.site, most=MOST_DEVICES)
    batteries = source.rows(BATTERIES, site=place.site, few=FEW_DAYS, most=MOST_DEVICES)
    found.beacons = [silent_beacon(*row) for row in silent] + [weak_beacon(*row) for row in batteries]
    found.beacons = found.beacons[:MOST_DEVICES]
    found.beacons_in_all = sum(rows[0][-1] for rows in (silent, batteries) if rows)
    return found


def gateway_in_need(gateway: str, state: str | None, radio: str | None, at: datetime | None, clock: str | None, remedy: str | None,
                    silent_since: datetime | None, heard: float | None) -> Device | None:
    """The first cause that holds, because the others follow from it."""
    name = "the store's own agent" if gateway == OWN_AGENT else named(gateway)
    hint = f" {clean(remedy, 200)}" if remedy else ""
    if state == "offline":
        return Device(name, "is offline: look at its power and its network, and start beacond there", at)
    if silent_since:
        return Device(name, "sends nothing: look at its power and its network", silent_since)
    if gateway != OWN_AGENT:
        if radio is not None and radio not in ("scanning", "replay"):
            return Device(name, f"does not hear: its radio is {clean(radio)}.{hint or NO_HINT}", at)
        if heard is not None and heard < HEARD_WELL:
            return Device(name, f"heard only {int(heard * 100)} % of the opening time of this week: look at its power, its network and its Bluetooth adapter")
    if clock is not None and clock != "synced":
        return Device(name, "has a clock that is not set: look at its time service")
    return None


def silent_beacon(asset: str | None, uuid: str, major: int, minor: int, last_heard_at: datetime | None, heard_in: str | None, _: Any) -> Device:
    if heard_in:
        return Device(beacon_named(asset, uuid, major, minor), f"is in another store: {named(heard_in)} hears it", last_heard_at)
    why = "is silent: look for it, and change its battery" if last_heard_at else "was never heard: is it there, and switched on?"
    return Device(beacon_named(asset, uuid, major, minor), why, last_heard_at)


def weak_beacon(asset: str | None, uuid: str, major: int, minor: int, percent: float | None, millivolts: float | None, days_left: float | None,
                _: Any) -> Device:
    level = f"{percent:.0f} %" if percent is not None else f"{millivolts:.0f} mV" if millivolts is not None else "low"
    left = "" if days_left is None else f", about {days_left:.0f} days left" if days_left >= 1 else ", no day left"
    return Device(beacon_named(asset, uuid, major, minor), f"needs a new battery: {level}{left}")


def beacon_named(asset: str | None, uuid: str, major: int, minor: int) -> str:
    """The asset with the beacon's numbers. The UUID is that of the whole chain, so its beginning is enough."""
    numbers = f"{major}/{minor}" if asset else f"{uuid[:8]}… {major}/{minor}"
    return f"{named(asset)} ({numbers})" if asset else numbers
