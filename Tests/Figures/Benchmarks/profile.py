"""Where the time goes, stage by stage: samples of `perf record -e cpu-clock -g`, each counted for the innermost function
that belongs to a stage.

    perf record -e cpu-clock -F 2000 -g -o perf.data beacond replay ...
    perf script -i perf.data | swift demangle -simplified | python3 profile.py NANOSECONDS_A_REPORT

Inlined code counts for its caller."""

import collections
import re
import sys

STAGES = [
    ("encoding: pseudonyms", r"DevicePseudonym|HMAC|SHA256|PseudonymCache"),
    ("encoding: the rest", r"JSONWriter|JSONText|MessageComposer|Timestamp|ProximityUUID"),
    ("queue and outbox", r"Dispatcher|Round|Outbox|PrintingSink|RecordTable|EventLedger"),
    ("ranging", r"Ranger|rangingReport|RangedBeacon|GatewayPresence\.range|BeaconTracker\.ranged"),
    ("filter", r"SignalSmoothing|LevelFilter|KalmanFilter|ExponentialFilter|SignalScale|ReadingTimes"),
    ("learned interval", r"LearnedInterval"),
    ("lookup", r"TransmitterTable|SlotIndex|TransmitterHash|__RawDictionaryStorage|RegionIndex"),
    ("regions", r"RegionMonitor|RegionInstance|EvidenceSource"),
    ("timers", r"Heap|GatewayEngine\.advance|nextDeadline"),
    ("tracking", r"BeaconTracker|Transmitter"),
    ("decode", r"AdvertisingEvent|LegacyReport|ExtendedReport|IBeaconFrame|ADStructures|RejectCounts|DataChains"),
    ("engine", r"GatewayEngine|GatewayPresence|GatewayPlace|CapturePlayer|Liveness|GapHistory"),
    ("reading the capture", r"BTSnoop|CaptureFile|InputFile|ReplaySession|Replay\."),
]


def main():
    total_ns = float(sys.argv[1])
    counts = collections.Counter()
    for sample in sys.stdin.read().split("\n\n"):
        frames = sample.strip().splitlines()[1:]
        if not frames:
            continue
        for frame in frames:
            stage = next((name for name, pattern in STAGES if re.search(pattern, frame)), None)
            if stage:
                break
        counts[stage or "start and the rest"] += 1
    samples = sum(counts.values())
    print("| stage | share | ns a report |\n| --- | --- | --- |")
    for stage, count in counts.most_common():
        print(f"| {stage} | {count / samples:.1%} | {total_ns * count / samples:.0f} |")


main()
