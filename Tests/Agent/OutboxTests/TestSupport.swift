import Foundation
import TestAir

@testable import Agent
@testable import Core
@testable import TestDisk

/// A folder that is removed with the test.
final class TemporaryFolder {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "beacond-outbox-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/outbox.sqlite" }

    /// Bytes of all files in it.
    var size: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
    }
}

extension SimulatedDisk {
    /// A disk beside those of other tests. The seed decides what a power cut leaves.
    convenience init(seed: UInt64 = 1) {
        self.init(
            name: "disk-" + UUID().uuidString, chance: SeededGenerator(seed: seed), linux: SeededGenerator(seed: ~seed))
    }
}

let noon = WallTime(microseconds: 1_704_110_400_000_000)
let generous = OutboxLimits(maxEvents: 1_000_000, maxMiB: 256)

extension Instant {
    static func seconds(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }
}

extension Outbox {
    static func inMemory(_ limits: OutboxLimits = generous) -> Outbox {
        Outbox(limits: limits, at: .origin, wallTime: noon, generator: SeededGenerator(seed: 1))
    }

    /// Opens an outbox, and commits events in it.
    static func open(
        _ folder: TemporaryFolder, vfs: String? = nil, owner: (any OutboxOwner)? = nil,
        limits: OutboxLimits = generous, seed: UInt64 = 1, events: Int = 0
    ) throws -> Outbox {
        let outbox = try Outbox(
            folder: StateFolder(path: folder.path, holder: owner?.name ?? ""), vfs: vfs, owner: owner, limits: limits,
            at: .origin, wallTime: noon, generator: SeededGenerator(seed: seed))
        if events > 0 { try outbox.commitEvents(events) }
        return outbox
    }

    /// Commits `count` events and the record `last`, which holds the number of the last of them.
    @discardableResult
    func commitEvents(_ count: Int, payloadBytes: Int = 0) throws -> OutboxTransaction {
        try commit { numbering in
            let numbers = (0..<Int64(count)).map { numbering.number(after: $0) }
            return OutboxTransaction(
                messages: numbers.map { number in
                    let name = Array("\(number.epoch) \(number.seq)".utf8)
                    return NumberedMessage(
                        number, topic: "t", payload: name + Self.noise(payloadBytes, seed: number.seq))
                },
                records: numbers.last.map { [OutboxRecord(key: "last", value: Array("\($0.seq)".utf8))] } ?? [])
        }
    }

    /// Commits a message of a series.
    @discardableResult
    func commit(_ series: NumberSeries, payload: [UInt8] = [7]) throws -> OutboxTransaction {
        try commit {
            OutboxTransaction(messages: [NumberedMessage($0.number(of: series), topic: "\(series)", payload: payload)])
        }
    }

    /// Letters that no model can shorten.
    private static func noise(_ count: Int, seed: Int64) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(bitPattern: seed))
        return (0..<count).map { index in index == 0 ? 0x20 : 0x40 + UInt8(generator.next() & 0x1F) }
    }

    /// All events from here on.
    func drain(limit: Int = 1_000) -> [QueuedMessage] {
        var all: [QueuedMessage] = []
        while true {
            let page = next(limit: limit)
            if page.isEmpty { return all }
            all += page
        }
    }

    /// The number in the record `last`.
    var lastRecord: Int64? {
        records().first { $0.key == "last" }.flatMap { Int64(String(decoding: $0.value, as: UTF8.self)) }
    }

    func tick(_ seconds: Int64) { tick(at: .seconds(seconds), wallTime: noon) }
}

extension QueuedMessage {
    var epoch: String { number.epoch }
    var seq: Int64 { number.seq }
    var topic: String { message.topic }
    var payload: [UInt8] { message.payload }

    /// Whether the payload is the one that was committed under this epoch and number.
    var isWhole: Bool { String(decoding: payload, as: UTF8.self).hasPrefix("\(epoch) \(seq)") }
}
