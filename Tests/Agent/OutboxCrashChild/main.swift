// A process for the outbox's tests. It reports its steps on standard output, a line each.
//
// It commits, delivers and acknowledges in FOLDER until it is killed: `c N` after the event N is committed, `a N` before
// the events up to N are acknowledged.

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

guard CommandLine.arguments.count == 2 else { exit(64) }
do {
    try loop(open(CommandLine.arguments[1]))
} catch {
    say("\(error)")
    exit(70)
}
