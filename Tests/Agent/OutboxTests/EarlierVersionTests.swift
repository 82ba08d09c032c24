import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("A file of an earlier version is brought up to date, with all that waits in it")
struct EarlierVersionTests {
    @Test("The first, which knew of events alone")
    func first() throws {
        let folder = TemporaryFolder()
        let first = try #require(Schema.versions.first)
        try Database(path: folder.database).execute(
            first.tables + """
                INSERT INTO epoch VALUES (1, '01KDVDNA0T5STV0R12CTTJE7XH');
                INSERT INTO meta VALUES (1, 1, 8, 9, 0, 0);
                INSERT INTO event VALUES (7, 1, 6, x'02740041'), (8, 1, 7, x'02740042');
                INSERT INTO gap VALUES (1, '01KDVDNA0T5STV0R12CTTJE7XH', 2, 3, 'disk');
                """)
        let outbox = try Outbox.open(folder)
        #expect(outbox.isDurable)
        #expect(outbox.numbering == Numbering(epoch: "01KDVDNA0T5STV0R12CTTJE7XH", next: [.events: 8]))
        let events = outbox.drain()
        #expect(events.map(\.number.series) == [.events, .events] && events.map(\.payload) == [[0x41], [0x42]])
        #expect(outbox.takeGaps().map(\.series) == [.events])
    }

    @Test("Each series keeps the version that begins with it and the names of its columns")
    func columns() {
        #expect(NumberSeries.allCases.map(\.version) == [1, 2, 3, 4, 5])
        #expect(
            NumberSeries.allCases.map(\.nextColumn) == [
                "next_seq", "next_span", "next_batch", "next_surge", "next_sheet",
            ])
        #expect(
            NumberSeries.allCases.map(\.settledColumn) == [
                "settled", nil, "settled_batch", "settled_surge", "settled_sheet",
            ])
        #expect(Schema.versions.map(\.version) == [1, 2, 3, 4, 5])
    }

    /// The state folder that the golden capture left while there was no broker: nine events and a span of coverage.
    private func second() throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        let kept = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Golden/state-v2/outbox.sqlite").standardizedFileURL
        try FileManager.default.copyItem(atPath: kept.path, toPath: folder.database)
        return folder
    }

    @Test("The second, which knew of events and spans")
    func secondVersion() throws {
        let folder = try second()
        let epoch = "01KDVDNA0TYMPW98CAT0CJWARN"
        var outbox: Outbox? = try Outbox.open(folder)
        #expect(outbox?.isDurable == true)
        #expect(outbox?.numbering == Numbering(epoch: epoch, next: [.events: 10, .spans: 2]))
        let left = try #require(outbox?.drain())
        #expect(left.filter { $0.number.series == .events }.map(\.seq) == Array(1...9))
        #expect(left.filter { $0.number.series == .spans }.map(\.seq) == [1])
        #expect(left.holdForAll { String(decoding: $0.payload, as: UTF8.self).contains(epoch) })
        #expect(outbox?.records().isEmpty == false)
        try outbox?.commit(.batches)
        outbox = nil
        let next = try Outbox.open(folder)
        #expect(next.numbering == Numbering(epoch: epoch, next: [.events: 10, .spans: 2, .batches: 2]))
        #expect(
            next.drain().map(\.number) == left.map(\.number) + [MessageNumber(epoch: epoch, series: .batches, seq: 1)])
    }

    @Test("A file stays of the third version, which 0.1.0 reads, until the first surge has its number")
    func fourthVersion() throws {
        let folder = try second()
        func version() throws -> Int64 {
            try Database(path: folder.database, vfs: nil).integer("PRAGMA user_version")
        }
        var outbox: Outbox? = try Outbox.open(folder)
        for series in [NumberSeries.events, .spans, .batches] { try outbox?.commit(series) }
        outbox = nil
        #expect(try version() == 3)
        outbox = try Outbox.open(folder)
        try outbox?.commit(.surges)
        outbox = nil
        #expect(try version() == 4)
        let next = try Outbox.open(folder)
        #expect(next.isDurable && next.numbering[.surges] == 2)
        #expect(next.drain().last?.number.series == .surges)
    }

    @Test("A file stays of the fourth version until a store's first sheet has its number")
    func fifthVersion() throws {
        let folder = try second()
        var outbox: Outbox? = try Outbox.open(folder)
        for series in [NumberSeries.surges, .sheets] { try outbox?.commit(series) }
        outbox = nil
        #expect(try Database(path: folder.database, vfs: nil).integer("PRAGMA user_version") == 5)
        let next = try Outbox.open(folder)
        #expect(next.isDurable && next.numbering[.surges] == 2 && next.numbering[.sheets] == 2)
        #expect(next.drain().last?.number.series == .sheets)
    }

    @Test("What is saved from a damaged file of the second goes on in each series")
    func salvaged() throws {
        let folder = try second()
        let salvage = Salvage(path: folder.database, vfs: nil, limit: 1 << 20)
        #expect(salvage.numbering == Numbering(epoch: "01KDVDNA0TYMPW98CAT0CJWARN", next: [.events: 10, .spans: 2]))
        #expect(salvage.isEveryEventThere && salvage.events(from: .none).count == 10)
    }
}
