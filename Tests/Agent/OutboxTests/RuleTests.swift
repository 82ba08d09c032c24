import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("The rules of dropping, numbering and retrying")
struct RuleTests {
    private func gap(_ from: Int64, _ to: Int64, _ cause: OutboxGap.Cause = .maxEvents, epoch: String = "A")
        -> OutboxGap
    {
        OutboxGap(epoch: epoch, fromSeq: from, toSeq: to, cause: cause)
    }

    @Test("Losses one after the other make one gap")
    func gapsGrow() {
        var ledger = GapLedger()
        for number in 5...9 as ClosedRange<Int64> { ledger.add(gap(number, number)) }
        #expect(ledger.gaps == [gap(5, 9)])
    }

    @Test("A gap of another cause or epoch stands by itself")
    func gapsStayApart() {
        var ledger = GapLedger()
        ledger.add(gap(5, 5))
        ledger.add(gap(6, 6, .disk))
        ledger.add(gap(7, 7, .disk, epoch: "B"))
        #expect(ledger.gaps.count == 3)
    }

    @Test("A gap is handed out once, does not grow any more, and is gone once subscribers know it, and it alone")
    func takenGapsAreFixed() {
        var ledger = GapLedger([gap(1, 4)])
        let takes = [ledger.take(), ledger.take()]
        #expect(takes == [[gap(1, 4)], []])
        let isAnother = ledger.confirm(gap(9, 9))
        #expect(!isAnother)
        ledger.add(gap(5, 5))
        #expect(ledger.gaps == [gap(1, 4), gap(5, 5)])
        let wasThere = ledger.confirm(gap(1, 4))
        #expect(wasThere)
        let second = ledger.take()
        #expect(second == [gap(5, 5)])
    }

    @Test("However many separate losses there are, the ledger stays within its capacity and covers every one of them")
    func gapsAreBounded() {
        var ledger = GapLedger()
        for number in 0..<2_000 as Range<Int64> { ledger.add(gap(number * 2 + 1, number * 2 + 1)) }
        #expect(ledger.gaps.count == GapLedger.capacity)
        for number in 0..<2_000 as Range<Int64> {
            #expect(ledger.gaps.contains { ($0.fromSeq...$0.toSeq).contains(number * 2 + 1) })
        }
    }

    @Test("Beyond max_events the excess goes; beyond max_mib as many as free the bytes")
    func retention() {
        let retention = Retention(maxEvents: 10, maxBytes: 1_000)
        #expect(retention.excess(events: 10, bytes: 1_000) == nil)
        let tooMany = retention.excess(events: 13, bytes: 500)
        #expect(tooMany?.cause == .maxEvents)
        #expect(tooMany?.victims(among: [1, 1, 1, 1, 1]) == 3)
        let tooLarge = retention.excess(events: 5, bytes: 1_150)
        #expect(tooLarge?.cause == .maxMiB)
        #expect(tooLarge?.victims(among: [100, 100, 100]) == 2)
        #expect(tooLarge?.victims(among: [100]) == 1)
    }

    @Test("A reservation survives being written and read; a blank or torn one is none")
    func reservations() {
        for (event, batch) in [(159, 0), (0, 7), (159, 7), (1 << 53, 1 << 53)] as [(Int64, Int64)] {
            var ends = SeriesNumbers(0)
            ends[.events] = event
            ends[.batches] = batch
            let reservation = Reservation(epoch: "01HK153X00ABCDEFGHJKMNPQRS", ends: ends)
            #expect(reservation.bytes?.count == Reservation.length)
            #expect(reservation.bytes.flatMap(Reservation.init) == reservation)
        }
        #expect(Reservation(bytes: [UInt8](repeating: 0x20, count: 64)) == nil)
        #expect(Reservation(bytes: Array("01HK153X00".utf8)) == nil)
        #expect(Reservation(bytes: Array("01HK153X00 -5".utf8)) == nil)
        #expect(Reservation(bytes: Array("01HK153X00 0".utf8)) == nil)
        #expect(Reservation(bytes: []) == nil)
    }

    @Test("A reservation without room is none")
    func longReservation() {
        var ends = SeriesNumbers(0)
        ends[.events] = 1
        #expect(Reservation(epoch: String(repeating: "E", count: Reservation.length), ends: ends).bytes == nil)
    }

    @Test("Epochs are 26 characters, sort by the time they began, and differ by chance within a millisecond")
    func epochs() {
        var generator: any RandomNumberGenerator = SeededGenerator(seed: 7)
        let first = EpochName.make(at: noon, using: &generator)
        let twin = EpochName.make(at: noon, using: &generator)
        let later = EpochName.make(at: noon + .milliseconds(1), using: &generator)
        #expect(first.count == 26)
        #expect(first != twin)
        #expect(max(first, twin) < later)
        #expect(EpochName.make(at: WallTime(microseconds: -5), using: &generator).hasPrefix("0000000000"))
    }

    @Test("Of too many events set aside the oldest is given up, and none is counted twice")
    func parking() {
        var parked = ParkedEvents()
        func entry(_ position: Int64) -> ParkedEvents.Entry {
            ParkedEvents.Entry(position: Position(position), number: MessageNumber(epoch: "A", seq: position))
        }
        let givenUp = (1...Int64(ParkedEvents.capacity)).compactMap { parked.add(entry($0)) }
        #expect(givenUp.isEmpty)
        let twice = parked.add(entry(1))
        #expect(twice == nil)
        let oldest = parked.add(entry(5_000))
        #expect(oldest == entry(1))
        #expect(parked.entries.count == ParkedEvents.capacity)
    }
}
