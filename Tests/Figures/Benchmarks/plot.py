"""Writes what was measured as a table and as a plot."""

import html

# What the budget says, what was found, and how it is written. Each is (what, budget, text, whether it is kept).


def rows(found):
    def ratio(left, right):
        return found[left] / found[right]

    def row(what, budget, value, kept):
        return (what, budget, value, "yes" if kept else "no")

    per_c = ratio("beacond_ns", "c_ns")
    peer = ratio("habluetooth_ns", "beacond_ns")
    # By instructions: the difference is smaller than the noise of two times.
    regions = ratio("beacond_10000_regions_instructions", "beacond_unranged_instructions")
    growth = ratio("beacond_100000_ns", "beacond_unranged_ns")
    c_growth = ratio("c_100000_ns", "c_unranged_ns")
    yield row("a report through the whole pipeline, 200 beacons, ranged", "≤ 3 × C",
              f"{found['beacond_ns']:.0f} ns, {per_c:.2f} × C ({found['c_ns']:.0f} ns)", per_c <= 3)
    per_c = ratio("beacond_instructions", "c_instructions")
    yield row("the same in instructions", "≤ 3 × C",
              f"{found['beacond_instructions']:.0f}, {per_c:.2f} × C ({found['c_instructions']:.0f})", per_c <= 3)
    per_c = ratio("beacond_unranged_ns", "c_unranged_ns")
    yield row("the same without the ranged list", "≤ 3 × C",
              f"{found['beacond_unranged_ns']:.0f} ns, {per_c:.2f} × C ({found['c_unranged_ns']:.0f} ns)", per_c <= 3)
    # No budget: a report that costs 3 × C at most cannot cost a twentieth of this, for C alone takes a quarter of it.
    yield (f"habluetooth {found['versions']['habluetooth']} takes", "", f"{peer:.1f} × as much ({found['habluetooth_ns']:.0f} ns)", "")
    yield row("10,000 regions against 1, in instructions", "≤ 1.15 ×", f"{regions:.2f} ×", regions <= 1.15)
    yield row("100,000 transmitters against 200", "≤ 2 ×, or 1.1 × C's own growth",
              f"{growth:.2f} × (C: {c_growth:.2f} ×)", growth <= max(2, 1.1 * c_growth))
    yield row("memory for each transmitter", "≤ 256 bytes", f"{found['bytes_per_transmitter']:.0f} bytes",
              found["bytes_per_transmitter"] <= 256)
    rss = max(found["rss_mib_500"], found["rss_mib_2000"])
    own = max(found["rss_own_mib_500"], found["rss_own_mib_2000"])
    yield row("resident memory, 200 beacons, TLS", "≤ 16 MiB", f"{rss:.1f} MiB, {own:.1f} of it not of files", rss <= 16)
    for rate, budget in ((500, 0.2), (2000, 0.8)):
        share = found[f"core_percent_{rate}"]
        least = found[f"reader_core_percent_{rate}"]
        yield row(f"{rate:,} reports a second, in real time", f"≤ {budget} % of a core",
                  f"{share:.2f} % (a C program that only reads them: {least:.2f} %)", share <= budget)
    for name, word, budget in (("durable", "durable", 10), ("memory", "without a disk", 2)):
        late = found[f"latency_{name}_p99_ms"]
        yield row(f"socket to subscriber, {word}, p99", f"≤ {budget} ms",
                  f"{late:.1f} ms (median {found[f'latency_{name}_p50_ms']:.1f})", late <= budget)
        late = found[f"latency_{name}_busy_p99_ms"]
        yield ("the same with 500 other reports a second", "",
               f"{late:.1f} ms (median {found[f'latency_{name}_busy_p50_ms']:.1f})", "")
    yield row("1,000 events that come one by one: syncs", "≤ 1,000 in an hour", f"{found['fsyncs_per_1000_events']}",
              found["fsyncs_per_1000_events"] <= 1000)
    yield row("the same: written", "≤ 4 MiB in an hour", f"{found['written_mib_per_1000_events']:.1f} MiB",
              found["written_mib_per_1000_events"] <= 4)
    # Parts that came later have no row before they are measured for the first time, alone or with the others.
    if "drain_events_per_s" in found:
        share = ratio("drain_events_per_s", "drain_mosquitto_pub_per_s")
        yield row("what waited goes out, against mosquitto_pub -q 1 -l", "≥ 0.8 ×",
                  f"{found['drain_events_per_s']:.0f} events a second, {share:.2f} ×", share >= 0.8)
    if "store_peak_mib" in found:
        share = found["store_core_percent"]
        yield row("a store: 64 gateways, 10,000 beacons ranged a second", "≤ 10 % of a core", f"{share:.1f} %", share <= 10)
        peak = found["store_peak_mib"]
        yield row("the same, with its logs read: memory", "≤ 32 MiB", f"{peak:.1f} MiB", peak <= 32)
    if "receiver_private_mib" in found:
        private = found["receiver_private_mib"]
        yield row("one receiver more on a machine of 20, 200 beacons each: private memory", "≤ 6 MiB", f"{private:.1f} MiB", private <= 6)
        times = ratio("receiver_report_us", "adapter_report_us")
        yield row("its processor time for a report, against an adapter", "≤ 2 ×", f"{found['receiver_report_us']:.1f} µs, {times:.2f} ×", times <= 2)
    yield row("`beacond --version`", "≤ 20 ms", f"{found['version_ms']:.0f} ms", found["version_ms"] <= 20)
    yield row("start to scanning", "≤ 150 ms", f"{found['start_ms']:.0f} ms", found["start_ms"] <= 150)
    small = found["binary_mib"] <= 16 and not found["shared_foundation"]
    yield row("the binary, no shared Swift library", "≤ 16 MiB", f"{found['binary_mib']:.1f} MiB", small)


def bars(found):
    """Nanoseconds for a report, the shortest first."""
    names = {"c": "C bound", "beacond": "beacond", "bluetooth-data-tools": "bluetooth-data-tools (decodes only)",
             "habluetooth": "habluetooth (no beacons, no regions)", "bleparser": "bleparser (decodes only)",
             "beacontools": "beacontools (decodes only)", "TheengsDecoder": "TheengsDecoder (decodes only)"}
    return sorted((found[f"{name}_ns"], label) for name, label in names.items() if f"{name}_ns" in found)


def svg(found):
    import math
    shown = bars(found)
    width, left, height = 760, 270, 26
    low, high = math.log10(50), math.log10(max(value for value, _ in shown) * 1.2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height * len(shown) + 50}" '
        f'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#ffffff"/>',
        '<text x="10" y="20" font-weight="bold">Processor time for one report (logarithmic)</text>']
    for number, (value, label) in enumerate(shown):
        y = 34 + number * height
        length = (math.log10(max(value, 51)) - low) / (high - low) * (width - left - 90)
        colour = "#1a7f37" if label == "beacond" else "#8c959f"
        text = f"{value:,.0f} ns" if value < 10_000 else f"{value / 1000:,.0f} µs"
        parts.append(
            f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{html.escape(label)}</text>'
            f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{height - 6}" fill="{colour}"/>'
            f'<text x="{left + length + 6:.1f}" y="{y + 15}">{text}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def write(found, table, picture):
    lines = ["| what | budget | measured | kept |", "| --- | --- | --- | --- |"]
    lines += ["| " + " | ".join(row) + " |" for row in rows(found)]
    table.write_text("\n".join(lines) + "\n")
    picture.write_text(svg(found))
