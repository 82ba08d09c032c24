"""The rules of other open agents, from their published formulas. Each is a filter (readings → levels) and a model (level,
measured power → metres).

    altbeacon       android-beacon-library: RunningAverageRssiFilter (20 s, a tenth and one more dropped at each end) and
                    CurveFittedDistanceCalculator, with the coefficients of its default model and of the Nexus 4.
    espresense      ESPresense firmware: mean within Tukey's fences of 15 s, log model, absorption 2.7.
    home-assistant  Home Assistant's iBeacon integration: the last reading, Nexus 4 curve.
    room-assistant  room-assistant: Kalman filter with R 0.008 and Q 4 a reading, Nexus 4 curve.
    median          the middle of 3 and 10 s.
    ewma 0.1, kalman   the simple rules of many scripts: per reading, log model with n 2 or 2.4.
"""

import bisect


def raw(readings):
    return [rssi for _, rssi in readings]


def _windowed(length_s, mean):
    def levels(readings):
        window, times, result, begin = [], [], [], 0
        for at_s, rssi in readings:
            bisect.insort(window, rssi)
            times.append((at_s, rssi))
            while times[begin][0] <= at_s - length_s:
                window.pop(bisect.bisect_left(window, times[begin][1]))
                begin += 1
            result.append(mean(window))
        return result
    return levels


def trimmed(ordered):
    dropped = len(ordered) // 10 + 1 if len(ordered) > 2 else 0
    kept = ordered[dropped:len(ordered) - dropped]
    return sum(kept) / len(kept)


def quantile(ordered, share):
    place = share * (len(ordered) - 1)
    below = int(place)
    upper = ordered[min(below + 1, len(ordered) - 1)]
    return ordered[below] + (place - below) * (upper - ordered[below])


def fenced(ordered):
    lower, upper = quantile(ordered, 0.25), quantile(ordered, 0.75)
    reach = 1.5 * (upper - lower)
    kept = [level for level in ordered if lower - reach <= level <= upper + reach]
    return sum(kept) / len(kept)


def ewma(share):
    def levels(readings):
        result = []
        for _, rssi in readings:
            result.append(result[-1] + share * (rssi - result[-1]) if result else rssi)
        return result
    return levels


def kalman(process=0.008, noise=4):
    def levels(readings):
        result, variance = [], noise
        for _, rssi in readings:
            if not result:
                result.append(rssi)
                continue
            variance += process
            gain = variance / (variance + noise)
            variance *= 1 - gain
            result.append(result[-1] + gain * (rssi - result[-1]))
        return result
    return levels


def curve(a, b, c):
    def metres(rssi, power):
        ratio = max(0, rssi / power)
        return ratio ** 10 if ratio < 1 else a * ratio ** b + c
    return metres


def log(exponent):
    return lambda rssi, power: 10 ** ((power - rssi) / (10 * exponent))


NEXUS4 = curve(0.89976, 7.7095, 0.111)
altbeacon, espresense = _windowed(20, trimmed), _windowed(15, fenced)

FILTERS = {
    "raw": raw, "median 3 s": _windowed(3, lambda w: quantile(w, 0.5)),
    "median 10 s": _windowed(10, lambda w: quantile(w, 0.5)), "altbeacon 20 s": altbeacon,
    "espresense 15 s": espresense, "ewma 0.3": ewma(0.3), "ewma 0.1": ewma(0.1), "ewma 0.05": ewma(0.05),
    "kalman": kalman(),
}

# name: (filter's name, model); "raw" is the last reading with the textbook's free space.
DISTANCE = {
    "altbeacon": ("altbeacon 20 s", curve(0.42093, 6.9476, 0.54992)),
    "altbeacon nexus 4": ("altbeacon 20 s", NEXUS4), "espresense": ("espresense 15 s", log(2.7)),
    "home-assistant": ("raw", NEXUS4), "room-assistant": ("kalman", NEXUS4), "ewma 0.1, n 2": ("ewma 0.1", log(2)),
    "kalman, n 2": ("kalman", log(2)), "kalman, n 2.4": ("kalman", log(2.4)),
}
RAW = ("raw", log(2))
