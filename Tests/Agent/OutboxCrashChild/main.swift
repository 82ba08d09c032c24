// A process for the outbox's tests. It reports its steps on standard output, a line each.
//
// `loop FOLDER` commits, delivers and acknowledges until it is killed: `c N` after the event N is committed, `a N` before
// the events up to N are acknowledged.
// `drain FOLDER COUNT BATCH` commits COUNT events in batches of BATCH, then hands out and acknowledges all of them, and
// closes with its figures.

import Glibc

@testable import Agent
@testable import Core

func say(_ line: String) {
    // Written directly to the pipe, so that no line is lost with the process.
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

func open(_ directory: String) throws(OutboxError) -> Outbox {
    let noon = WallTime(microseconds: 1_704_110_400_000_000)
    return try Outbox(
        directory: directory, limits: OutboxLimits(maxEvents: 2_000_000, maxMiB: 1_024), at: .origin, wallTime: noon)
}

/// Commits `count` events and the record `last`, which holds the number of the last of them. Returns that number.
func commit(_ count: Int64, to outbox: Outbox) throws(OutboxError) -> Int64 {
    let committed = try outbox.commit { numbering in
        let numbers = (0..<count).map { numbering.number(after: $0) }
        return OutboxTransaction(
            messages: numbers.map { NumberedMessage($0, topic: "t", payload: Array("\($0.epoch) \($0.seq)".utf8)) },
            records: numbers.last.map { [OutboxRecord(key: "last", value: Array("\($0.seq)".utf8))] } ?? [])
    }
    return committed.messages.last?.number.seq ?? 0
}

func loop(_ outbox: Outbox) throws(OutboxError) {
    var round: Int64 = 0
    while true {
        round += 1
        let last = try commit(round % 7 + 1, to: outbox)
        guard outbox.isDurable else { return say("not durable") }
        say("c \(last)")
        let delivered = outbox.next(limit: 3)
        guard let lastDelivered = delivered.last else { continue }
        say("a \(lastDelivered.number.seq)")
        outbox.acknowledge(delivered.map(\.position))
    }
}

func drain(_ outbox: Outbox, count: Int64, batch: Int64) throws(OutboxError) {
    let start = seconds()
    while outbox.numbering[.events] <= count {
        _ = try commit(min(batch, count + 1 - outbox.numbering[.events]), to: outbox)
    }
    let committed = seconds()
    let (syncs, bytes) = (outbox.health.syncs, outbox.health.bytesWritten)
    let before = residentKiB()
    var (expected, largest): (Int64, Int) = (1, before)
    while true {
        let page = outbox.next(limit: 100)
        if page.isEmpty { break }
        for event in page {
            guard event.number.seq == expected else {
                return say("\(event.number.seq) came where \(expected) was next")
            }
            expected += 1
        }
        outbox.acknowledge(page.map(\.position))
        if expected % 10_000 == 1 { largest = max(largest, residentKiB()) }
    }
    outbox.close()
    say(
        """
        drained=\(expected - 1) queued=\(outbox.health.queuedEvents) rss_kib=\(before) rss_growth_kib=\(largest - before) \
        commits_per_s=\(Int(Double(count) / (committed - start))) drained_per_s=\(Int(Double(count) / (seconds() - committed))) \
        syncs_per_1000=\(syncs * 1_000 / count) bytes_per_event=\(bytes / count)
        """)
}

func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The second figure of /proc/self/statm: resident pages.
func residentKiB() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
        separator: " ")
    return words.dropFirst().first.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) / 1_024 } ?? 0
}

let arguments = CommandLine.arguments
do {
    switch arguments.count {
    case 3 where arguments[1] == "loop": try loop(open(arguments[2]))
    case 5 where arguments[1] == "drain":
        guard let count = Int64(arguments[3]), let batch = Int64(arguments[4]), count > 0, batch > 0 else { exit(64) }
        try drain(open(arguments[2]), count: count, batch: batch)
    default: exit(64)
    }
} catch {
    say("\(error)")
    exit(70)
}
