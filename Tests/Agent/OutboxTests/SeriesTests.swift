import CSQLite
import TestAir
import Testing

@testable import Agent
@testable import Core
@testable import TestDisk

@Suite("Batches of fixes are numbered, kept and lost as events are, by numbers of their own")
struct SeriesTests {
    private let folder = TemporaryFolder()
    private let disk = SimulatedDisk()

    @Test("Another series or column is another format: it raises the number")
    func format() {
        #expect(Schema.version == 8)
        #expect(
            Schema.readMeta
                == "SELECT epoch, next_position, next_seq, settled_seq, next_span, next_batch, settled_batch, next_surge, "
                + "settled_surge, next_sheet, settled_sheet, next_count, settled_count FROM meta")
    }

    @Test("Each series goes on with its own number after a restart")
    func restart() throws {
        var outbox: Outbox? = try Outbox.open(folder)
        for series in [NumberSeries.batches, .events, .spans, .batches, .batches] { try outbox?.commit(series) }
        let epoch = outbox?.numbering.epoch ?? ""
        outbox = nil
        let next = try Outbox.open(folder)
        #expect(next.numbering == Numbering(epoch: epoch, next: [.events: 2, .spans: 2, .batches: 4]))
        #expect(next.drain().map(\.number.series) == [.batches, .events, .spans, .batches, .batches])
    }

    @Test(
        "Batches that were numbered in memory are not numbered again after a crash, and no other series has a gap for it"
    )
    func reserved() throws {
        var outbox: Outbox? = try Outbox.open(folder, vfs: disk.name)
        for series in NumberSeries.allCases { try outbox?.commit(series) }
        let epoch = outbox?.numbering.epoch ?? ""
        disk.refuse(SQLITE_FULL)
        try outbox?.commit(.batches)
        #expect(outbox?.isDurable == false)
        #expect(outbox?.canNumber(.batches) == true && outbox?.canNumber(.spans) == false)
        #expect(outbox?.drain().last?.number == MessageNumber(epoch: epoch, series: .batches, seq: 2))
        outbox = nil
        disk.repair()
        let next = try Outbox.open(folder, vfs: disk.name, seed: 2)
        let end = 3 + Reservation.block
        let numbers: [NumberSeries: Int64] = [.events: 2, .spans: 2, .batches: end, .surges: 2, .sheets: 2, .counts: 2]
        #expect(next.numbering == Numbering(epoch: epoch, next: numbers))
        #expect(
            next.takeGaps() == [
                OutboxGap(epoch: epoch, series: .batches, fromSeq: 2, toSeq: end - 1, cause: .disk)
            ])
    }

    @Test("A recovery settles the reservations of every series: a later crash states no gap")
    func settled() throws {
        var outbox: Outbox? = try Outbox.open(folder, vfs: disk.name)
        for series in NumberSeries.allCases { try outbox?.commit(series) }
        disk.refuse(SQLITE_FULL)
        for series in [NumberSeries.batches, .events, .batches] { try outbox?.commit(series) }
        disk.repair()
        outbox?.tick(100)
        #expect(outbox?.isDurable == true)
        let numbering = outbox?.numbering
        outbox = nil
        let next = try Outbox.open(folder, vfs: disk.name)
        #expect(next.numbering == numbering && !next.hasGaps)
    }

    @Test(
        "max_mib bounds batches with the events, oldest first, and each series has its own gap",
        arguments: [true, false])
    func bytes(onDisk: Bool) throws {
        let limits = OutboxLimits(maxEvents: 10, maxMiB: 1)
        let outbox = onDisk ? try Outbox.open(folder, limits: limits) : Outbox.inMemory(limits)
        try outbox.commit(.events)
        for batch in 1...40 { try outbox.commit(.batches, payload: Self.fixes(batch, bytes: 120_000)) }
        try outbox.commit(.events)
        let gaps = outbox.takeGaps()
        #expect(
            gaps.map(\.series) == [.events, .batches] && gaps.holdForAll { $0.cause == .maxMiB && $0.fromSeq == 1 })
        let left = outbox.drain().map(\.number)
        let batches = left.filter { $0.series == .batches }.map(\.seq)
        #expect(left.filter { $0.series == .events }.map(\.seq) == [2])
        #expect(batches == Array((gaps.last?.toSeq ?? 0) + 1...40))
        if onDisk { #expect(folder.size <= 1 << 20) }
    }

    @Test(
        "A page of large messages stays about a mebibyte, and every one is handed out once", arguments: [true, false])
    func pages(onDisk: Bool) throws {
        let outbox = onDisk ? try Outbox.open(folder) : Outbox.inMemory()
        for batch in 1...40 { try outbox.commit(.batches, payload: Self.fixes(batch, bytes: 65_000)) }
        var seqs: [Int64] = []
        while true {
            let page = outbox.next(limit: 1_000)
            if page.isEmpty { break }
            #expect(page.count <= 17)
            #expect(page.holdForAll { $0.payload == Self.fixes(Int($0.seq), bytes: 65_000) })
            seqs += page.map(\.seq)
        }
        #expect(seqs == Array(1...40))
    }

    @Test("A batch that is larger than the whole outbox is reported as a gap, and later ones are kept")
    func tooLarge() throws {
        let outbox = try Outbox.open(folder, limits: OutboxLimits(maxEvents: 10, maxMiB: 1))
        var generator = SeededGenerator(seed: 1)
        let noise = (0..<1_000_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        try outbox.commit(.batches, payload: noise)
        try outbox.commit(.events)
        #expect(outbox.takeGaps().map(\.series) == [.batches])
        #expect(outbox.drain().map(\.number.series) == [.events] && outbox.isDurable)
    }

    @Test("A long text leaves room for the samples of the short ones")
    func samples() throws {
        let outbox = try Outbox.open(folder)
        for batch in 1...20 { try outbox.commit(.batches, payload: Self.fixes(batch, bytes: 6_000)) }
        let store = try #require(outbox.store)
        #expect(store.model.octets.count <= TextModel.capacity / 2)
        // A batch is a third of its length where the model has seen a fix.
        let batch = Self.fixes(21, bytes: 6_000)
        #expect(store.model.encode(batch).count < batch.count / 2)
        let event = Array((0..<20).map { "field_\($0):\($0 * 7_919)" }.joined(separator: ",").utf8)
        try outbox.commit(.events, payload: event)
        #expect(store.model.encode(event).count < event.count / 4)
    }

    /// The payload of a batch of about that length.
    private static func fixes(_ batch: Int, bytes: Int) -> [UInt8] {
        var text = #"{"schema":1,"epoch":"01KDVDNA0TYMPW98CAT0CJWARN","batch":\#(batch),"fixes":["#
        var second = batch * 1_000
        while text.utf8.count < bytes {
            second += 1
            text +=
                #"{"at":"2026-11-23T06:\#(second % 60):07.\#(second % 1_000)Z","latitude":52.\#(second * 7_919 % 1_000_000),"#
            text += #""longitude":13.\#(second * 104_729 % 1_000_000),"horizontal_accuracy_m":\#(second % 40)},"#
        }
        return Array((text + "]}").utf8)
    }
}
