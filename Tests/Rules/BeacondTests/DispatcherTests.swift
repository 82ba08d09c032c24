import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("Events are committed before they are published")
struct DispatcherTests {
    private let timebase = Timebase(wallAtOrigin: WallTime(microseconds: 1_700_000_000_000_000), isSynced: true)

    private func makeDispatcher(_ stored: [StoredRegion] = []) throws -> Dispatcher {
        let composer = MessageComposer(
            topics: TopicTree(prefix: "beacons", site: "store", gateway: "gate"), version: "1",
            pseudonym: DevicePseudonym(form: .omit, key: [1], deviceNames: []), rangingExpiry_s: 11)
        let outbox = Outbox(
            limits: OutboxLimits(maxEvents: 100, maxMiB: 1), at: .origin, wallTime: .unixEpoch,
            generator: ReplaySession.NoRandomness())
        let records = stored.map {
            OutboxRecord(
                key: StoredRegion.key($0.record.instance), value: $0.encoded(timebase, bootID: "boot"))
        }
        try outbox.commit { _ in OutboxTransaction(records: records) }
        return Dispatcher(
            composer, outbox: outbox, stored: StoredState(outbox, timebase, bootID: "boot"), bootID: "boot")
    }

    private func output(_ region: String, _ state: RegionState, event: RegionEvent.Kind?) -> GatewayOutput {
        let instance = RegionInstanceID(region: region)
        let observation = BeaconObservation.undetermined(rssi_dbm: -60)
        let event = event.map {
            RegionEvent(
                $0,
                by: .beacon(BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 2), observation))
        }
        let record = RegionRecord(
            instance: instance, .beacon(of: nil),
            state == .inside
                ? .inside(
                    RegionRecord.OpenStay(
                        enteredAt: .origin, lastHeardAt: .origin,
                        keeper: BeaconKeeper(major: 1, minor: 2, rssi_dbm: -60))) : .outside(since: .origin))
        return .transition(
            RegionTransition(instance: instance, state: state, since: .origin, at: .origin, event: event),
            record: record)
    }

    @Test("Numbers begin at 1 and have no gaps, even where a change of state has no event")
    func numbers() throws {
        let dispatcher = try makeDispatcher()
        _ = try dispatcher.dispatch(
            [
                output("a", .inside, event: .enter), output("b", .unknown, event: nil),
                output("c", .inside, event: .enter),
            ], timebase)
        #expect(dispatcher.outbox.next(limit: 10).map(\.number.seq) == [1, 2])
        #expect(dispatcher.eventCount == 2)
    }

    @Test("The event and its region's record are in the outbox before they are published")
    func committedTogether() throws {
        let dispatcher = try makeDispatcher()
        let said = try dispatcher.dispatch([output("a", .inside, event: .enter)], timebase)
        #expect(said.count == 2)
        let record = try #require(dispatcher.outbox.records().first)
        let stored = try #require(StoredRegion.read(record.value, key: record.key, timebase, bootID: "boot").region)
        #expect(stored.eventSeq == 1)
        #expect(stored.record.isInside)
    }

    @Test("A region without a new event continues from the stored number")
    func storedSequence() throws {
        let record = RegionRecord(
            instance: RegionInstanceID(region: "a"), .beacon(of: nil),
            .inside(
                RegionRecord.OpenStay(
                    enteredAt: .origin, lastHeardAt: .origin,
                    keeper: BeaconKeeper(major: 1, minor: 2, rssi_dbm: nil))))
        let dispatcher = try makeDispatcher([StoredRegion(record: record, eventSeq: 7)])
        let said = try dispatcher.dispatch([output("a", .inside, event: nil)], timebase)
        guard case .message(let message) = try #require(said.first).content else {
            Issue.record("a state was expected")
            return
        }
        #expect(String(decoding: message.payload, as: UTF8.self).contains("\"event_seq\":7"))
    }
}
