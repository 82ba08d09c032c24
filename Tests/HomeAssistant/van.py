"""A gateway that rides: its agent replays a capture that is written while one looks, so that time goes on only when it is asked to."""
import datetime
import subprocess
import uuid

import btsnoop
import gpsdlog
import waiting

CARTS, TILLS, OTHERS = (uuid.UUID(int=number) for number in (0x39ED98FF2900441A802F9C398FC199D2, 0x1234, 0x5678))
REGIONS = [{"id": "carts", "uuid": str(CARTS).upper()}, {"id": "tills", "uuid": str(TILLS).upper(), "expand": "minor"},
           {"id": "depot", "latitude": 52.5163, "longitude": 13.3777, "radius_m": 150}]


def value_of(value):
    """A value in TOML."""
    return str(value).lower() if isinstance(value, bool) else repr(value).replace(chr(39), chr(34))


def config(path, broker, regions=REGIONS, **tables):
    tables = {"homeassistant": {"max_instances": 2}, "owntracks": {"topic": "owntracks/fleet/van-7"},
              "beacons": {"telemetry": True, "report_interval_s": 20}, **tables}
    lines = [f'[mqtt]\nurl = "mqtt://127.0.0.1:{broker}"\n[gateway]\nsite = "fleet"\nid = "van-7"',
             "[regions]\nsettle_s = 0\nexit_after_s = 5", '[location]\nsource = "gpsd"\ndistance_filter_m = 20']
    for name, keys in tables.items():
        if keys is not None:
            lines.append("\n".join([f"[{name}]", *(f"{key} = {value_of(value)}" for key, value in keys.items())]))
    for region in regions:
        lines.append("\n".join(["[[region]]", *(f"{key} = {value_of(value)}" for key, value in region.items())]))
    path.write_text("\n".join(lines) + "\n")
    return path


def drive(path):
    """A kilometre to the depot at 20 m/s, and then it stands there. What comes after it has no fixes."""
    log = gpsdlog.Log()
    log.fixes(range(0, 50), east_m=lambda at_s: 1000 - 20.0 * at_s, speed=20.0, track=270.0)
    log.fixes(range(50, 1000), east_m=0.0, speed=0.0)
    path.write_text("\n".join(log.lines) + "\n")
    return path


class Van:
    begin = gpsdlog.Log().begin

    def __init__(self, beacond, folder, broker, later_s=0, **tables):
        self.at_s = later_s
        self.log = open(folder / "van.log", "ab")
        self.process = subprocess.Popen(
            [beacond, "replay", "-", "--location", drive(folder / "drive.json"), "--config",
             config(folder / "van.toml", broker, **tables), "--output", "mqtt", "--state", folder / "state"],
            stdin=subprocess.PIPE, stdout=self.log, stderr=self.log)
        self.process.stdin.write(btsnoop.HEADER)
        self.hear(0.25)

    def hear(self, seconds, *beacons):
        """Lets time pass in which these are heard, each a uuid, a major, a minor, and perhaps the percent of its battery. Another device is
        always there."""
        for _ in range(int(seconds * 4)):
            for number, (beacon, major, minor, *battery) in enumerate([(OTHERS, 1, 1), *beacons]):
                moment = self.begin + datetime.timedelta(seconds=self.at_s)
                time_us = btsnoop.UNIX_US + int(moment.timestamp() * 1e6) + number
                data = btsnoop.beacon_data(beacon.bytes, major, minor)
                address = bytes([minor, major & 255, beacon.bytes[-1], 7, 7, 0xC7])
                self.process.stdin.write(btsnoop.record(time_us, btsnoop.advertising_event(address, data, -60)))
                # The Battery Service, in a frame of its own.
                for percent in battery:
                    data = bytes([2, 1, 6, 4, 0x16, 0x0F, 0x18, percent])
                    self.process.stdin.write(btsnoop.record(time_us, btsnoop.advertising_event(address, data, -60)))
            self.at_s += 0.25
        self.process.stdin.flush()

    def stop(self):
        """The capture ends, and everything is delivered."""
        self.process.stdin.close()
        return waiting.until(lambda: self.process.poll() is not None)

    def kill(self):
        self.process.kill()
        self.process.wait()
