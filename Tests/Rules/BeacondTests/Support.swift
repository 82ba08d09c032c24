import Foundation
import Logging
import TestAir

@testable import Agent
@testable import Core

extension Timebase {
    /// A synchronised clock that shows the beginning of 1970 at the origin.
    static let epoch = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)
    /// A synchronised clock that shows a day of November 2023 at the origin.
    static let november = Timebase(wallAtOrigin: WallTime(microseconds: 1_700_000_000_000_000), isSynced: true)
}

extension Outbox {
    /// Returns an outbox in memory with the records of an earlier process.
    static func inMemory(maxEvents: Int = 100, _ records: [OutboxRecord] = []) throws -> Outbox {
        let outbox = Outbox(limits: OutboxLimits(maxEvents: maxEvents, maxMiB: 1), at: .origin, wallTime: .unixEpoch)
        if !records.isEmpty { try outbox.commit { _ in OutboxTransaction(records: records) } }
        return outbox
    }
}

extension OutboxRecord {
    /// Returns a region's record as an earlier process stored it.
    init(_ record: RegionRecord, eventSeq: Int64 = 7, by timebase: Timebase = .epoch) {
        let stored = StoredRegion(record: record, eventSeq: eventSeq)
        self.init(key: StoredRegion.key(record.instance), value: stored.encoded(timebase, bootID: "boot"))
    }
}

extension AgentStart {
    /// Returns the start of a process that logs nothing.
    init(
        _ configuration: String, _ outbox: Outbox, at now: Instant = .origin, _ timebase: Timebase = .epoch,
        key: UInt8 = 7
    ) throws {
        self.init(
            try Settings.parse(configuration), outbox, at: now, timebase, bootID: "boot",
            newKey: [UInt8](repeating: key, count: 32), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Returns the start of a process whose outbox is in a folder.
    init(
        _ configuration: String, in folder: String, at now: Instant = .origin, _ timebase: Timebase = .epoch,
        key: UInt8 = 7
    ) throws {
        let settings = try Settings.parse(configuration)
        let outbox = try Outbox(
            directory: folder, owner: GatewayIdentity(settings.identity.topics),
            limits: OutboxLimits(maxEvents: 100, maxMiB: 4), at: .origin, wallTime: timebase.wallAtOrigin)
        try self.init(configuration, outbox, at: now, timebase, key: key)
    }
}

extension Dispatcher {
    /// Creates the dispatcher of a process that goes on with an outbox.
    convenience init(
        _ outbox: Outbox, _ composer: MessageComposer = .of(), _ timebase: Timebase = .epoch
    ) {
        self.init(
            composer, outbox: outbox, stored: StoredState(outbox, timebase, bootID: "boot"), bootID: "boot")
    }
}

extension [Dispatcher.Dispatched] {
    var messages: [Message] { compactMap { if case .message(let message) = $0.content { message } else { nil } } }
}

extension RegionEvent {
    /// Returns an event of a region of beacons.
    init(_ kind: Kind, major: UInt16 = 1, minor: UInt16 = 2) {
        let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: major, minor: minor)
        self.init(kind, by: .beacon(identity, .undetermined(rssi_dbm: -60)))
    }
}

extension GatewayOutput {
    /// Returns a change of state at the origin, with its record.
    static func change(
        _ instance: RegionInstanceID, _ state: RegionState = .inside, event: RegionEvent? = nil
    ) -> GatewayOutput {
        let transition = RegionTransition(instance: instance, state: state, since: .origin, at: .origin, event: event)
        return .transition(transition, record: state == .inside ? .inside(instance) : .outside(instance))
    }
}
