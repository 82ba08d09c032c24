"""A recording: what a gateway heard of some beacons, and the truth about them."""

import bisect
import contextlib
import os
import tempfile

import readings
import replay

UUID = "0F8B3C52-0000-4000-8000-000000000000"


class Beacon:
    """Readings (seconds, dBm) of one beacon and its truth: points (seconds, metres), joined by straight lines."""

    def __init__(self, measured_power_dbm, readings, distances=()):
        self.measured_power_dbm = measured_power_dbm
        self.readings = sorted(readings)
        self.distances = sorted(distances)
        self._times = [at_s for at_s, _ in self.distances]

    def distance_m(self, at_s):
        """The truth; None before the first point and after the last."""
        place = bisect.bisect_right(self._times, at_s)
        if not self._times or place == 0 or at_s > self._times[-1]:
            return None
        if place == len(self._times):
            return self.distances[-1][1]
        (begin, near), (end, far) = self.distances[place - 1:place + 1]
        return near + (far - near) * (at_s - begin) / (end - begin) if end > begin else far


class Recording:
    """Beacons by (major, minor), and the capture with them. Without a capture one is written from the readings."""

    def __init__(self, name, beacond, beacons, capture=None, uuid=UUID):
        self.name, self.beacond, self.beacons, self.capture, self.uuid = name, beacond, beacons, capture, uuid
        # (major, minor): crossings as (begin, end, inward), and the time about which there is a log, if not all of it.
        self.crossings, self.judged = {}, {}
        # Recordings of one place that count together; see distance.Score.
        self.group = None

    @contextlib.contextmanager
    def written(self):
        """The capture of the recording, and the second of the readings at which it begins."""
        if self.capture:
            yield self.capture, 0
            return
        events = [
            (at_s, readings.advertising_event(self.uuid, *key, beacon.measured_power_dbm, round(rssi)))
            for key, beacon in self.beacons.items() for at_s, rssi in beacon.readings
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "capture.btsnoop")
            readings.write(path, events)
            yield path, min(at_s for at_s, _ in events)

    def messages(self, regions, kinds, settings=""):
        """As replay.messages, in the seconds of the readings."""
        with self.written() as (path, first_s):
            for at_s, levels, payload in replay.messages(self.beacond, path, regions, kinds, settings):
                yield at_s + first_s, levels, payload

    def estimates(self, settings=""):
        """(major, minor): [(seconds, accuracy_m, accuracy_error_m)], once a second while the distance is known."""
        found = {}
        region = replay.region("all", self.uuid, settle_s=0)
        for at_s, _, payload in self.messages([region], ("ranging",), settings):
            for beacon in payload["beacons"]:
                if beacon["accuracy_m"] >= 0:
                    found.setdefault((beacon["major"], beacon["minor"]), []).append(
                        (at_s, beacon["accuracy_m"], beacon["accuracy_error_m"]))
        return found
