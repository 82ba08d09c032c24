import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("A damaged file")
struct DamageTests {
    private let folder = TemporaryFolder()

    private func damage(_ path: String, _ change: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        change(&data)
        try data.write(to: URL(fileURLWithPath: path))
    }

    private func filled(_ folder: TemporaryFolder, events: Int = 200) throws -> String {
        let outbox = try Outbox.open(folder)
        try outbox.commitEvents(events, payloadBytes: 500)
        outbox.setValue([4, 2], forKey: "key")
        outbox.close()
        return outbox.numbering.epoch
    }

    @Test(
        "A file that is no database is set aside, and a new one begun in a new epoch",
        arguments: ["not a database", ""])
    func noDatabase(text: String) throws {
        let epoch = try filled(folder)
        try damage(folder.database) { $0 = Data(String(repeating: text, count: 1_000).utf8) }
        let outbox = try Outbox.open(folder, seed: 2)
        #expect(outbox.isDurable)
        #expect(outbox.numbering.epoch != epoch)
        #expect(FileManager.default.fileExists(atPath: folder.database + ".corrupt") == !text.isEmpty)
        try outbox.commitEvents(2)
        outbox.close()
        let again = try Outbox.open(folder)
        #expect(again.drain().map(\.seq) == [1, 2])
    }

    @Test("Readable events are saved, and the others are reported as gaps, number by number")
    func salvage() throws {
        let epoch = try filled(folder)
        // Pages in the middle of the events.
        try damage(folder.database) { data in
            data.replaceSubrange(80 * 1_024..<82 * 1_024, with: Data(repeating: 0xA5, count: 2 * 1_024))
        }
        let outbox = try Outbox.open(folder, seed: 2)
        #expect(outbox.isDurable)
        #expect(outbox.numbering.epoch != epoch)
        let events = outbox.drain()
        #expect(events.count > 100 && events.count < 200)
        #expect(events.holdForAll { $0.epoch == epoch && $0.isWhole })
        let gaps = outbox.takeGaps()
        #expect(gaps.holdForAll { $0.epoch == epoch && $0.cause == .corrupt })
        let missing = Set(1...200 as ClosedRange<Int64>).subtracting(events.map(\.seq))
        #expect(Set(gaps.flatMap { Array($0.fromSeq...$0.toSeq) }) == missing)
        #expect(outbox.lastRecord == 200)
        #expect(outbox.value(forKey: "key") == [4, 2])
        #expect(outbox.takeReports().contains { $0.contains("replaced") })
    }

    @Test("Damage found at work is repaired at work: the epoch goes on, and damaged events are reported as gaps")
    func damageAtWork() throws {
        let outbox = try Outbox.open(folder)
        try outbox.commitEvents(2_000, payloadBytes: 5_000)
        let delivered = outbox.next(limit: 10)
        outbox.acknowledge(delivered.map(\.position))
        let epoch = outbox.numbering.epoch
        let handle = try #require(FileHandle(forUpdatingAtPath: folder.database))
        for page in 700..<705 as Range<UInt64> {
            try handle.seek(toOffset: page * 4_096)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        }
        // The connection's cache must be read anew.
        try outbox.store?.database.execute("PRAGMA shrink_memory")
        let early = outbox.drain()
        #expect(outbox.condition?.cause == .damaged)
        outbox.tick(1)
        #expect(outbox.isDurable)
        #expect(outbox.numbering == Numbering(epoch: epoch, next: [.events: 2_001]))
        let seen = Set((delivered + early + outbox.drain()).filter(\.isWhole).map(\.seq))
        let stated = Set(outbox.takeGaps().flatMap { Array($0.fromSeq...$0.toSeq) })
        #expect(seen.union(stated).isSuperset(of: 1...2_000))
        #expect(seen.count > 1_500)
        try outbox.commitEvents(1)
        outbox.close()
        let again = try Outbox.open(folder)
        #expect(again.numbering == Numbering(epoch: epoch, next: [.events: 2_002]))
    }

    @Test(
        "A process that is killed while it replaces a damaged file loses nothing that can be read from the file and its log",
        arguments: [[""], ["", "-wal"]], [false, true])
    func killedMeanwhile(setAside: [String], isNewFileMade: Bool) throws {
        let outbox = try Outbox.open(folder)
        try outbox.commitEvents(100, payloadBytes: 500)
        try outbox.disk.checkpoint()
        try outbox.commitEvents(10, payloadBytes: 500)
        let killed = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: killed.path, withIntermediateDirectories: true)
        for suffix in ["", "-wal"] {
            let name = killed.database + (setAside.contains(suffix) ? ".replaced" : "") + suffix
            try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: name)
        }
        // The log is moved before the new file is made.
        if isNewFileMade, setAside.count == 2 { try Data().write(to: URL(fileURLWithPath: killed.database)) }
        let next = try Outbox.open(killed, seed: 2)
        #expect(next.isDurable)
        #expect(next.drain().map(\.seq) == Array(1...110))
        #expect(next.takeGaps().isEmpty)
        next.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: killed.path)
        #expect(!names.contains { $0.contains("replaced") })
        #expect(try Outbox.open(killed).drain().count == 110)
    }

    @Test("At most one damaged file is kept")
    func oneKept() throws {
        for _ in 0..<3 {
            _ = try filled(folder, events: 1)
            try damage(folder.database) { $0 = Data(repeating: 0xFF, count: 8_192) }
        }
        _ = try Outbox.open(folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("corrupt") }
        #expect(names == ["outbox.sqlite.corrupt"])
    }

    @Test("A database of another program under our name is set aside, not written to")
    func foreignDatabase() throws {
        do {
            let database = try Database(path: folder.database)
            try database.execute("CREATE TABLE theirs (a)")
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let outbox = try Outbox.open(folder)
        #expect(outbox.isDurable)
        let kept = try Database(path: folder.database + ".corrupt")
        #expect(try kept.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'theirs'") == 1)
        #expect(!before.isEmpty)
    }

    @Test(
        "Numbers that were never written, and other tables, count as damage and trap nothing",
        arguments: [
            "UPDATE meta SET next_seq = 9223372036854775807", "UPDATE meta SET next_position = -5",
            "UPDATE meta SET next_position = 1",
            "UPDATE meta SET next_span = -1", "UPDATE event SET kind = 9", "UPDATE meta SET epoch = 99",
            "UPDATE event SET seq = 9223372036854775807",
            "UPDATE event SET position = 9223372036854775807 WHERE position = 1",
            "UPDATE event SET position = -9223372036854775808 WHERE position = 1",
            "INSERT INTO gap VALUES (1, 'A', 9, -9, 'disk', 0)",
            "ALTER TABLE meta RENAME COLUMN settled_batch TO settled_butch",
            "ALTER TABLE event RENAME COLUMN content TO contend",
        ])
    func senseless(sql: String) throws {
        _ = try filled(folder, events: 3)
        do { try Database(path: folder.database).execute(sql) }
        let outbox = try Outbox.open(folder, seed: 2)
        _ = outbox.drain()
        outbox.tick(10)
        try outbox.commitEvents(2)
        #expect(outbox.isDurable)
        let last = outbox.drain().suffix(2)
        #expect(last.map(\.seq) == [outbox.numbering[.events] - 2, outbox.numbering[.events] - 1])
    }

    @Test("Whatever bytes of the file are overwritten, the outbox ends up on a working disk and takes events")
    func randomDamage() throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let folder = TemporaryFolder()
            _ = try filled(folder, events: 60)
            try damage(folder.database) { data in
                for _ in 0..<Int.random(in: 1...30, using: &generator) {
                    data[Int.random(in: 0..<data.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
            }
            let outbox = try Outbox.open(folder, seed: seed)
            _ = outbox.drain()
            outbox.acknowledge(outbox.drain().map(\.position))
            for second in [2, 100, 200, 300] as [Int64] { outbox.tick(second) }
            let what = Comment(rawValue: "seed \(seed): \(outbox.condition?.description ?? "")")
            #expect(outbox.isDurable, what)
            let committed = try outbox.commitEvents(3).messages.map(\.number.seq)
            #expect(outbox.drain().suffix(3).map(\.seq) == committed, what)
        }
    }
}
