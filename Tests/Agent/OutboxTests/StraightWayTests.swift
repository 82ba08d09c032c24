import CSQLite
import TestAir
import Testing

@testable import Agent
@testable import Core

/// The statements that a connection begins.
private final class Statements {
    private(set) var texts: [String] = []

    init(of database: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_trace_v2(
            database.handle, UInt32(SQLITE_TRACE_STMT),
            { _, context, _, text in
                guard let context, let text else { return 0 }
                let statements = Unmanaged<Statements>.fromOpaque(context).takeUnretainedValue()
                statements.texts.append(String(cString: text.assumingMemoryBound(to: CChar.self)))
                return 0
            }, context)
    }

    var readers: [String] { texts.filter { $0.hasPrefix("SELECT") } }
}

@Suite("While the broker takes messages, an event is handed on as it was written")
struct StraightWayTests {
    private let folder = TemporaryFolder()

    private static func statements(of outbox: Outbox) throws -> Statements {
        Statements(of: try #require(outbox.store).database)
    }

    @Test("No event is read from the file while each is taken before the next comes")
    func straight() throws {
        let outbox = try Outbox.open(folder, events: 1)
        outbox.acknowledge(outbox.drain().map(\.position))
        let statements = try Self.statements(of: outbox)
        for seq in 2...2_500 {
            try outbox.commitEvents(1)
            let page = outbox.next(limit: 100)
            #expect(page.map(\.seq) == [Int64(seq)] && page.allSatisfy(\.isWhole))
            outbox.acknowledge(page.map(\.position))
        }
        #expect(statements.readers == [] && statements.texts.contains { $0.hasPrefix("INSERT INTO event") })
    }

    @Test("Events that an earlier process left are read once, and those after them go straight on")
    func afterABacklog() throws {
        let earlier = try Outbox.open(folder, events: 5)
        earlier.close()
        let outbox = try Outbox.open(folder)
        let statements = try Self.statements(of: outbox)
        #expect(outbox.next(limit: 3).map(\.seq) == [1, 2, 3])
        #expect(outbox.next(limit: 3).map(\.seq) == [4, 5])
        let read = statements.readers.count
        #expect(read >= 2)
        try outbox.commitEvents(2)
        #expect(outbox.next(limit: 1).map(\.seq) == [6] && outbox.next(limit: 5).map(\.seq) == [7])
        #expect(outbox.next(limit: 5).isEmpty && statements.readers.count == read)
    }

    @Test("A backlog beyond a limit is not kept in memory: the file has it")
    func tooMany() throws {
        let outbox = try Outbox.open(folder)
        let octets = Int(FreshMessages.largest_bytes) / 4
        for _ in 1...9 { try outbox.commitEvents(1, payloadBytes: octets) }
        let statements = try Self.statements(of: outbox)
        let page = outbox.drain(limit: 2)
        #expect(page.map(\.seq) == Array(1...9) && page.allSatisfy(\.isWhole) && !statements.readers.isEmpty)
    }
}
