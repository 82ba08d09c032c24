import TestAir
import Testing

@testable import Agent
@testable import Core

/// The rules that hold in memory and on the disk alike.
@Suite("The queue")
struct QueueTests {
    private let folder = TemporaryFolder()

    enum Kind: CaseIterable { case memory, durable }

    private func make(_ kind: Kind, _ limits: OutboxLimits = generous) throws -> Outbox {
        switch kind {
        case .memory: Outbox.inMemory(limits)
        case .durable: try Outbox.open(folder, limits: limits)
        }
    }

    @Test("Events are numbered from 1 without gaps and handed out in order, each once", arguments: Kind.allCases)
    func order(kind: Kind) throws {
        let outbox = try make(kind)
        #expect(outbox.isDurable == (kind == .durable))
        try outbox.commitEvents(3)
        try outbox.commitEvents(4)
        #expect(outbox.numbering[.events] == 8)
        #expect(outbox.next(limit: 2).map(\.seq) == [1, 2])
        let rest = outbox.drain(limit: 2)
        #expect(rest.map(\.seq) == [3, 4, 5, 6, 7])
        #expect(rest.holdForAll { $0.isWhole && $0.epoch == outbox.numbering.epoch })
        #expect(outbox.next(limit: 10).isEmpty)
        try outbox.commitEvents(1)
        #expect(outbox.next(limit: 10).map(\.seq) == [8])
    }

    @Test("An acknowledgement counts once, and an unknown one not at all", arguments: Kind.allCases)
    func acknowledged(kind: Kind) throws {
        let outbox = try make(kind)
        try outbox.commitEvents(6)
        let positions = outbox.next(limit: 4).map(\.position)
        outbox.acknowledge([positions[0], positions[3], positions[3]])
        #expect(outbox.health.queuedEvents == 4)
        outbox.acknowledge([Position(99), Position(-99), .afterAll, .beforeAll])
        #expect(outbox.health.queuedEvents == 4)
        #expect(outbox.drain(limit: 1).map(\.seq) == [5, 6])
    }

    @Test("A transaction that is misnumbered is refused whole", arguments: Kind.allCases)
    func misnumbered(kind: Kind) throws {
        let outbox = try make(kind)
        #expect(throws: OutboxError.misnumbered(expected: 2, found: 3)) {
            try outbox.commit {
                OutboxTransaction(
                    messages: [
                        NumberedMessage($0.number(), topic: "t", payload: []),
                        NumberedMessage($0.number(after: 2), topic: "t", payload: []),
                    ],
                    records: [OutboxRecord(key: "k", value: [1])])
            }
        }
        #expect(outbox.numbering[.events] == 1)
        #expect(outbox.drain().isEmpty && outbox.records().isEmpty)
    }

    @Test("Beyond max_events the oldest go, are counted, and are reported as a gap", arguments: Kind.allCases)
    func maxEvents(kind: Kind) throws {
        let outbox = try make(kind, OutboxLimits(maxEvents: 10, maxMiB: 64))
        for _ in 0..<5 { try outbox.commitEvents(4) }
        #expect(outbox.health.queuedEvents == 10)
        #expect(outbox.health.droppedEvents == [.maxEvents: 10])
        #expect(
            outbox.takeGaps()
                == [OutboxGap(epoch: outbox.numbering.epoch, fromSeq: 1, toSeq: 10, cause: .maxEvents)])
        #expect(outbox.drain().map(\.seq) == Array(11...20))
    }

    @Test("A batch larger than max_events keeps its last events", arguments: Kind.allCases)
    func hugeBatch(kind: Kind) throws {
        let outbox = try make(kind, OutboxLimits(maxEvents: 10, maxMiB: 64))
        try outbox.commitEvents(25)
        #expect(outbox.drain().map(\.seq) == Array(16...25))
        #expect(outbox.takeGaps().map(\.toSeq) == [15])
        #expect(outbox.lastRecord == 25)
    }

    @Test("Beyond max_mib the oldest go; numbers stay complete and the loss is reported", arguments: Kind.allCases)
    func maxMiB(kind: Kind) throws {
        let outbox = try make(kind, OutboxLimits(maxEvents: 1_000_000, maxMiB: 1))
        var largest = 0
        for _ in 0..<300 {
            try outbox.commitEvents(10, payloadBytes: 1_000)
            largest = max(largest, folder.size)
        }
        #expect(outbox.condition == nil)
        let gaps = outbox.takeGaps()
        let events = outbox.drain()
        #expect(gaps.map(\.cause) == [.maxMiB])
        #expect(gaps.first?.fromSeq == 1)
        #expect(gaps.first.map { $0.toSeq + 1 } == events.first?.seq)
        #expect(events.last?.seq == 3_000)
        #expect(events.count > 200)
        #expect(outbox.health.queuedBytes <= 1 << 20)
        #expect(largest <= 1 << 20)
    }

    @Test("A late acknowledgement of a dropped event holds up nothing", arguments: Kind.allCases)
    func lateAcknowledgement(kind: Kind) throws {
        let outbox = try make(kind, OutboxLimits(maxEvents: 10, maxMiB: 64))
        try outbox.commitEvents(10)
        let underWay = outbox.drain()
        try outbox.commitEvents(10)
        outbox.acknowledge(underWay.map(\.position))
        #expect(outbox.health.queuedEvents == 10)
        #expect(outbox.drain().map(\.seq) == Array(11...20))
    }

    @Test("A dropped event that the broker refuses late is not set aside, and is lost once", arguments: Kind.allCases)
    func lateRefusal(kind: Kind) throws {
        let outbox = try make(kind, OutboxLimits(maxEvents: 2, maxMiB: 64))
        try outbox.commitEvents(2)
        let underWay = outbox.drain()
        try outbox.commitEvents(2)
        outbox.park(underWay[0])
        outbox.giveUp(underWay[1])
        #expect(outbox.health.parkedEvents == 0 && outbox.health.droppedEvents == [.maxEvents: 2])
        #expect(outbox.drain().map(\.seq) == [3, 4])
    }

    @Test("An event that is acknowledged twice holds up nothing", arguments: Kind.allCases)
    func acknowledgedTwice(kind: Kind) throws {
        let outbox = try make(kind)
        try outbox.commitEvents(1)
        let first = outbox.drain().map(\.position)
        outbox.acknowledge(first)
        try outbox.commitEvents(1)
        outbox.acknowledge(first)
        #expect(outbox.health.queuedEvents == 1 && outbox.checkInvariants().isEmpty)
        #expect(outbox.drain().map(\.seq) == [2])
    }

    @Test("An event that the broker refuses is set aside, and holds up nothing", arguments: Kind.allCases)
    func parked(kind: Kind) throws {
        let outbox = try make(kind)
        try outbox.commitEvents(3)
        let events = outbox.next(limit: 2)
        outbox.park(events[0])
        outbox.acknowledge([events[1].position])
        #expect(outbox.drain().map(\.seq) == [3])
        #expect(outbox.health.parkedEvents == 1 && outbox.health.queuedEvents == 2)
    }

    @Test("Events lost before they had numbers take the next ones, which become a gap", arguments: Kind.allCases)
    func lostBefore(kind: Kind) throws {
        let outbox = try make(kind)
        try outbox.commitEvents(2)
        try outbox.commit { _ in OutboxTransaction(lostEvents: 3) }
        try outbox.commitEvents(1)
        #expect(
            outbox.takeGaps() == [OutboxGap(epoch: outbox.numbering.epoch, fromSeq: 3, toSeq: 5, cause: .disk)])
        #expect(outbox.drain().map(\.seq) == [1, 2, 6])
    }

    @Test("Records and values are replaced, removed and kept by key", arguments: Kind.allCases)
    func records(kind: Kind) throws {
        let outbox = try make(kind)
        try outbox.commit { _ in
            OutboxTransaction(records: [OutboxRecord(key: "a", value: [1]), OutboxRecord(key: "b", value: [])])
        }
        try outbox.commit { _ in
            OutboxTransaction(records: [OutboxRecord(key: "a", value: [2])], removedRecords: ["b", "never"])
        }
        #expect(outbox.records() == [OutboxRecord(key: "a", value: [2])])
        #expect(outbox.value(forKey: "secret") == nil)
        outbox.setValue([9, 0, 9], forKey: "secret")
        #expect(outbox.value(forKey: "secret") == [9, 0, 9])
    }

    @Test("The same seed and time give the same epoch, so that a replay prints the same bytes")
    func repeatable() {
        #expect(Outbox.inMemory().numbering == Outbox.inMemory().numbering)
    }

    // MARK: - Series

    private func span(_ numbering: Numbering) -> NumberedMessage {
        NumberedMessage(numbering.number(of: .spans), topic: "c", payload: [])
    }

    @Test("Each series is numbered by itself, and all are handed out in one order", arguments: Kind.allCases)
    func kinds(kind: Kind) throws {
        let outbox = try make(kind)
        for _ in 1...2 {
            try outbox.commitEvents(1)
            try outbox.commit { OutboxTransaction(messages: [span($0)]) }
        }
        let messages = outbox.drain()
        #expect(messages.map(\.number.series) == [.events, .spans, .events, .spans])
        #expect(messages.map(\.seq) == [1, 1, 2, 2])
        #expect(throws: OutboxError.misnumbered(expected: 3, found: 4)) {
            try outbox.commit {
                OutboxTransaction(messages: [
                    NumberedMessage($0.number(of: .spans, after: 1), topic: "c", payload: [])
                ])
            }
        }
    }

    @Test(
        "max_events counts events alone: other series neither make room for them nor lose theirs",
        arguments: Kind.allCases)
    func limitOfEvents(kind: Kind) throws {
        let outbox = try make(kind, OutboxLimits(maxEvents: 2, maxMiB: 256))
        for _ in 1...3 {
            try outbox.commit { OutboxTransaction(messages: [span($0)]) }
            try outbox.commitEvents(1)
        }
        let left = outbox.drain()
        #expect(left.map(\.seq) == [1, 2, 2, 3, 3])
        #expect(left.filter { $0.number.series == .events }.map(\.seq) == [2, 3])
        #expect(outbox.takeGaps().map(\.toSeq) == [1])
        outbox.acknowledge(left.map(\.position))
        #expect(outbox.health.queuedEvents == 0)
    }
}
