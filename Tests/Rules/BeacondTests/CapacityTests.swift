import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("The configured limits fit on the disk")
struct CapacityTests {
    private static let events = 10_000

    @Test("max_events events, by default, fit into the default max_mib")
    func defaults() throws {
        let settings = try Settings.parse("")
        let folder = NSTemporaryDirectory() + "beacond-capacity-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let limits = OutboxLimits(settings.outbox)
        let outbox = try Outbox(directory: folder, limits: limits, at: .origin, wallTime: .unixEpoch)
        let dispatcher = Dispatcher(
            MessageComposer(
                settings.identity.topics, settings.privacy, settings.gateway, pseudonymKey: [1]), outbox: outbox,
            stored: StoredState(outbox, .november, bootID: "boot"), bootID: "8d4b4e62-3f0c-4f5c-9d3a-6f1f0d2c7b11")
        for batch in 0..<20 {
            let outputs = (0..<(Self.events / 20)).map { crossing(batch * Self.events / 20 + $0) }
            _ = try dispatcher.dispatch(outputs, .november)
        }
        #expect(outbox.health.queuedEvents == Int64(Self.events))
        let share = Int64(limits.maxEvents / Self.events)
        let eventBytes = outbox.health.queuedBytes / Int64(Self.events)
        #expect(outbox.health.queuedBytes * share <= limits.fileBytes, "\(eventBytes) bytes an event")
    }

    /// Returns an entry or an exit of one of 500 beacons, with figures that vary as in a store.
    private func crossing(_ index: Int) -> GatewayOutput {
        let minor = UInt16(truncatingIfNeeded: 1 + index / 2 * 131 % 500)
        let instance = RegionInstanceID(region: "carts", .minor(major: 1, minor: minor))
        let at = Instant.origin + .milliseconds(Int64(index) * 2_591 + Int64(index * 37 % 1_000))
        let isEntry = index.isMultiple(of: 2)
        let stay = RegionStay(
            enteredAt: at - .milliseconds(Int64(60_000 + index * 7_919 % 500_000)),
            lastHeardAt: at - .milliseconds(20_000 + Int64(index * 13 % 400)))
        let observation = BeaconObservation(
            accuracy_m: isEntry ? Double(index * 17 % 1_500) / 100 : -1,
            accuracyError_m: isEntry ? Double(index * 17 % 1_500) / 200 : -1, proximity: isEntry ? .near : .unknown,
            rssi_dbm: -50 - Double(index * 7 % 400) / 10)
        let identity = BeaconIdentity(
            uuid: ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2), major: 1, minor: minor)
        let event = RegionEvent(isEntry ? .enter : .exit(stay), by: .beacon(identity, observation))
        let inside = RegionRecord.inside(
            instance, entered: at, heard: at, minor: minor, patience: .seconds(20), rssi_dbm: observation.rssi_dbm)
        return .transition(
            RegionTransition(
                instance: instance, state: isEntry ? .inside : .outside, since: at, at: at, event: event),
            record: isEntry ? inside : .outside(instance, since: at))
    }
}
