"""Which room: the gateway with the strongest published level, asked every second from 10 s after a span begins."""

import bisect

import peers
import replay


def published(recording):
    """Per beacon: (seconds since 1970, rssi_dbm) of each ranging message."""
    found = {}
    region = replay.region("all", recording.uuid, settle_s=0)
    for at_s, _, payload in recording.messages([region], ("ranging",)):
        for beacon in payload["beacons"]:
            key = (beacon["major"], beacon["minor"])
            heard_s = at_s + recording.first_s - beacon["age_ms"] / 1000
            found.setdefault(key, []).append((heard_s, beacon["rssi_dbm"]))
    return found


def smoothed(recording, filter):
    return {
        key: [(at_s + recording.first_s, level) for (at_s, _), level in zip(beacon.readings, filter(beacon.readings))]
        for key, beacon in recording.beacons.items()
    }


def share_right(recordings, levels):
    """`levels` says what to compare, per gateway. Ties and up to 20 s of silence keep the last room."""
    by_room = {recording.name: levels(recording) for recording in recordings}
    spans = {}
    for recording in recordings:
        for key, certain in recording.spans.items():
            spans[key] = [(b + recording.first_s, e + recording.first_s, room) for b, e, room in certain]
    asked = right = 0
    for key, certain in spans.items():
        room_now = None
        heard = {room: sorted(beacons.get(key, ())) for room, beacons in by_room.items()}
        times = {room: [at_s for at_s, _ in points] for room, points in heard.items()}
        for begin, end, room in certain:
            at_s = begin + 10
            while at_s <= end:
                room_now = strongest(heard, times, at_s, room_now)
                asked, right, at_s = asked + 1, right + (room_now == room), at_s + 1
    return right / asked


def strongest(heard, times, at_s, before):
    now = {}
    for room, points in heard.items():
        place = bisect.bisect_right(times[room], at_s) - 1
        if place >= 0 and at_s - points[place][0] <= 20:
            now[room] = points[place][1]
    if not now:
        return before
    best = max(now.values())
    winners = [room for room in sorted(now) if now[room] == best]
    return before if before in winners else winners[0]


def compare(recordings):
    figures = {name: share_right(recordings, lambda r, f=f: smoothed(r, f)) for name, f in peers.FILTERS.items()}
    figures["ours"] = share_right(recordings, published)
    return figures
