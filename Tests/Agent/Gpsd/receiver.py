"""A receiver as gpsd sees one: a pseudo terminal with NMEA 0183 on it, in the present. receiver.py FILE [METRES_A_SECOND]

The terminal's path is written to FILE. It stands for 30 s at 52.5163, 13.3777, long enough for a circle's first state, and then
goes north. It ends with its parent."""

import datetime
import os
import sys
import time
import tty

file, speed_m_s = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
STANDS_S = 30
KNOTS = 1.943844


def sentence(body):
    checksum = 0
    for octet in body.encode():
        checksum ^= octet
    return f"${body}*{checksum:02X}\r\n"


def degrees(value, width):
    whole = int(value)
    return f"{whole:0{width}d}{(value - whole) * 60:07.4f}"


def fix(at, north_m, speed_m_s):
    latitude, longitude = degrees(52.5163 + north_m / 111_264, 2), degrees(13.3777, 3)
    moment = f"{at:%H%M%S}.{at.microsecond // 10000:02d}"
    return "".join(map(sentence, (
        f"GPRMC,{moment},A,{latitude},N,{longitude},E,{speed_m_s * KNOTS:.1f},0.0,{at:%d%m%y},,,A",
        f"GPGGA,{moment},{latitude},N,{longitude},E,1,10,0.9,34.5,M,45.0,M,,",
        "GPGSA,A,3,02,04,05,09,12,17,20,23,25,28,,,1.6,0.9,1.3")))


master, slave = os.openpty()
tty.setraw(slave)
os.set_blocking(master, False)
# gpsd that was started as root becomes another user, which needs these rights to open it.
os.chmod(os.ttyname(slave), 0o666)
with open(file, "w") as path:
    path.write(os.ttyname(slave))
begin, parent = time.monotonic(), os.getppid()
while os.getppid() == parent:
    moving_s = max(0.0, time.monotonic() - begin - STANDS_S)
    now = datetime.datetime.now(datetime.timezone.utc)
    try:
        os.write(master, fix(now, moving_s * speed_m_s, speed_m_s if moving_s else 0.0).encode())
    except BlockingIOError:
        # No process reads while gpsd is away: the receiver's sentences are lost then.
        pass
    time.sleep(1)
