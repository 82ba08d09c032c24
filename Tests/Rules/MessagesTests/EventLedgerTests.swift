import PayloadReaders
import TestAir
import Testing

@testable import Core

@Suite("The number of an instance's last event")
struct EventLedgerTests {
    private static let timebase = Timebase(wallAtOrigin: WallTime(microseconds: 1_700_000_000_000_000), isSynced: true)
    private let composer = MessageComposer.of()
    private let cart = RegionInstanceID(region: "carts", .minor(major: 1, minor: 7))
    private let cause = RegionEvent.Cause.beacon(
        BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 7),
        BeaconObservation(accuracy_m: 1, accuracyError_m: 1, proximity: .near, rssi_dbm: -60))

    /// Returns the content of a state whose transition has an event or none.
    private func seq(_ ledger: inout EventLedger, epoch: String = "epoch", event seq: Int64? = nil) throws -> Int64 {
        let transition = RegionTransition(
            instance: cart, state: .inside, since: .origin, at: .origin,
            event: seq.map { _ in RegionEvent(.enter, by: cause) })
        let entry = ledger.enter(transition, epoch: epoch, seq: seq ?? 99, Self.timebase)
        return try StatePayload(decoding: entry.state.payload).eventSeq
    }

    @Test("A state announced again after its region was cleared names its earlier event")
    func publishedAgain() throws {
        var ledger = EventLedger(composer)
        #expect(try seq(&ledger) == 0)
        #expect(try seq(&ledger, event: 5) == 5)
        ledger.remove(cart)
        #expect(ledger.eventSeq(of: cart) == 5)
        #expect(try seq(&ledger) == 5)
        #expect(try seq(&ledger, event: 9) == 9)
    }

    @Test("The exit that ends monitoring is the last event")
    func ended() throws {
        var ledger = EventLedger(composer, lastSeq: [cart: 3])
        let stay = RegionStay(enteredAt: .origin, lastHeardAt: .origin, ending: .unmonitored)
        _ = ledger.exit(
            RegionEvent(.exit(stay), by: cause), of: cart, epoch: "epoch", seq: 4, at: .origin, Self.timebase)
        ledger.remove(cart)
        ledger.remove(cart)
        #expect(try seq(&ledger) == 4)
    }

    @Test("The exit of a visit that became known late has a number, and no state names it")
    func late() throws {
        var ledger = EventLedger(composer, lastSeq: [cart: 3])
        let stay = RegionStay(enteredAt: .origin, lastHeardAt: .origin, isLate: true)
        let exit = ledger.exit(
            RegionEvent(.exit(stay), by: cause), of: cart, epoch: "epoch", seq: 4, at: .origin, Self.timebase)
        #expect(exit.number.seq == 4)
        #expect(try seq(&ledger) == 3)
    }

    @Test("A number of the epoch before does not count in the next one")
    func nextEpoch() throws {
        var ledger = EventLedger(composer, lastSeq: [cart: 3])
        ledger.remove(cart)
        ledger.beginEpoch()
        #expect(try seq(&ledger, epoch: "next") == 0)
    }

    @Test("A state never begins after it is announced, nor does the stay that an exit ends")
    func order() throws {
        let late = Instant.origin + .seconds(7)
        var ledger = EventLedger(composer)
        let transition = RegionTransition(instance: cart, state: .inside, since: late, at: .origin)
        let entry = ledger.enter(transition, epoch: "epoch", seq: 1, Self.timebase)
        let state = try StatePayload(decoding: entry.state.payload)
        #expect(state.since == state.head.at)
        ledger.beginEpoch()
        let again = ledger.takeOutdatedStates(epoch: "next", Self.timebase)
        #expect(try again.map { try StatePayload(decoding: $0.payload).since } == [state.since])

        let status = RegionStatus(instance: cart, state: .inside, since: late)
        let answer = composer.response(
            Answer(
                address: ReplyAddress(verb: "state", topic: "a"), at: .origin + .seconds(6),
                result: .states([status], next: nil)), eventSeq: { _ in 0 }, Self.timebase)
        let response = try ResponsePayload(decoding: answer.payload)
        guard case .states(let states, next: nil) = response.result else {
            Issue.record("states were expected")
            return
        }
        #expect(states.map(\.since) == [response.head.at])

        let stay = RegionStay(enteredAt: late, lastHeardAt: late + .seconds(3))
        let exit = composer.event(
            RegionEvent(.exit(stay), by: cause), of: cart, epoch: "epoch", seq: 1, at: .origin + .seconds(8),
            Self.timebase)
        let event = try EventPayload(decoding: exit.payload)
        #expect(event.exit?.enteredAt == WallTime(microseconds: 1_700_000_007_000_000))
        #expect(event.exit?.lastHeardAt == event.head.at)
        #expect(event.exit?.dwell_s == 1)
    }

    @Test("The last deleted instances are always known, and never more than twice as many")
    func limit() {
        var departed = DepartedNumbers(generationLimit: 3)
        func instance(_ minor: Int) -> RegionInstanceID {
            RegionInstanceID(region: "carts", .minor(major: 1, minor: UInt16(minor)))
        }
        for minor in 1...100 {
            departed.record(instance(minor), Int64(minor))
            #expect(departed.count <= 6)
            for latest in max(1, minor - 2)...minor { #expect(departed.number(of: instance(latest)) == latest) }
        }
        #expect(departed.number(of: instance(1)) == 0)
        // One that is deleted often takes the room of one.
        for seq in 1...100 { departed.record(instance(100), Int64(seq)) }
        #expect(departed.number(of: instance(99)) == 99)
        #expect(departed.take(instance(100)) == 100)
        #expect(departed.number(of: instance(100)) == 0)
    }
}
