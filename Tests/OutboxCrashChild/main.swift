// Commits, delivers and acknowledges in a loop until it is killed, and says on standard output what it was told is done:
// `c N` after the event N is committed, `a N` before the events up to N are acknowledged.

import Glibc
import HCI
import Outbox

func say(_ line: String) {
    // Straight to the pipe: nothing that was said may be lost with the process.
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

func run(directory: String) throws(OutboxError) {
    let noon = WallTime(microseconds: 1_704_110_400_000_000)
    let outbox = try Outbox(
        directory: directory, limits: OutboxLimits(maxEvents: 100_000, maxMiB: 16), at: .origin, wallTime: noon)
    var round = 0
    while true {
        round += 1
        let count = Int64(round % 7 + 1)
        let committed = try outbox.commit { numbering in
            let numbers = (0..<count).map { numbering.nextSequence + $0 }
            return OutboxTransaction(
                events: numbers.map { OutboxEvent(seq: $0, topic: "t", payload: Array("\(numbering.epoch) \($0)".utf8)) },
                records: numbers.last.map { [OutboxRecord(key: "last", value: Array("\($0)".utf8))] } ?? [])
        }
        guard outbox.isDurable, let last = committed.events.last else {
            say("not durable")
            return
        }
        say("c \(last.seq)")
        let delivered = outbox.next(limit: 3)
        if let last = delivered.last {
            say("a \(last.seq)")
            outbox.acknowledge(delivered.map(\.position))
        }
    }
}

do {
    guard let directory = CommandLine.arguments.dropFirst().first else { exit(64) }
    try run(directory: directory)
} catch {
    say(error.description)
}
exit(70)
