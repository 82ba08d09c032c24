import TestAir
import Testing

@testable import Core

/// The gateway's outputs while it heard an `Air`, with their times in seconds since the start.
struct Story {
    var transitions: [(t_s: Double, transition: RegionTransition)] = []
    var ranging: [(t_s: Double, report: RangingReport)] = []
    var failures: [RegionMonitoringFailure] = []
    /// Entries that were held back, by the end of their minute.
    var surges: [(t_s: Double, surge: EntryBudget.Surge)] = []
    /// Instances that were deleted, one output after the other.
    var forgotten: [(t_s: Double, instances: [RegionInstanceID])] = []
    /// The records that a later process would restore.
    var stored: [RegionInstanceID: RegionRecord] = [:]
    var figures: GatewayFigures { player.engine.figures }
    /// The player at the end.
    var player: CapturePlayer
    static let startTime = WallTime(microseconds: 1_700_000_000_000_000)
    static let start = Instant(microseconds: startTime.microseconds)

    /// Plays the air, and time after it up to `until_s`, through a capture player.
    init(_ settings: GatewaySettings, _ air: Air, restoring records: [RegionRecord] = [], until_s: Double? = nil) {
        let start = Self.startTime
        var outputs: [GatewayOutput] = []
        var player = CapturePlayer(settings, restoring: records, at: start, outputs: &outputs)
        for (number, transmission) in air.inOrder.enumerated() {
            player.receive(
                transmission.event.span, at: start + .seconds(transmission.t_s), outputs: &outputs)
            if number < 50 || number % 100 == 0 { player.engine.check() }
        }
        let end = until_s.map { player.clock.instant(start + .seconds($0)) } ?? player.clock.now
        player.advance(through: end, outputs: &outputs)
        player.engine.check()
        self.player = player
        let origin = Self.start
        for output in outputs {
            switch output {
            case .transition(let transition, let record):
                transitions.append(((transition.at - origin).seconds, transition))
                if let record { stored[record.instance] = record }
            case .failure(let failure, at: _): failures.append(failure)
            case .stays(let records):
                for record in records { stored[record.instance] = record }
            case .message(_, let at):
                if let surge = output.content(EntryBudget.Surge.self) { surges.append(((at - origin).seconds, surge)) }
                if let report = output.content(RangingReport.self) { ranging.append(((at - origin).seconds, report)) }
            case .forgotten(let instances, let at): forgotten.append(((at - origin).seconds, instances))
            default: break
            }
        }
    }

    /// Events as short lines: `enter door 10.0`.
    var events: [String] { transitions.compactMap { $0.transition.eventLine(since: Self.start) } }

    /// States as short lines: `inside door 10.0`.
    var states: [String] { transitions.map { $0.transition.stateLine(since: Self.start) } }

    /// Returns the stay that the n-th exit ended.
    func stay(_ number: Int = 0) -> RegionStay? {
        let stays = transitions.compactMap { entry -> RegionStay? in
            guard case .exit(let stay) = entry.transition.event?.kind else { return nil }
            return stay
        }
        return stays.indices.contains(number) ? stays[number] : nil
    }

    /// Returns the last ranging report at or before `t_s`: a subscriber's knowledge then.
    func known(at t_s: Double) -> RangingReport? {
        ranging.last { $0.t_s <= t_s + 1e-9 }?.report
    }

    /// Returns a time to a tenth of a second, the resolution of these stories.
    static func tenths(_ t_s: Double) -> String {
        let tenths = Int((t_s * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension RegionTransition {
    /// The state as a short line: `inside door/1 10.0`.
    func stateLine(since start: Instant = .origin) -> String {
        "\(state.rawValue) \(StoredRegion.key(instance)) \(Story.tenths((at - start).seconds))"
    }

    /// The event as a short line: `enter door 10.0`.
    func eventLine(since start: Instant = .origin) -> String? {
        event.map {
            "\($0.kind == .enter ? "enter" : "exit") \(StoredRegion.key(instance)) \(Story.tenths((at - start).seconds))"
        }
    }
}

extension [GatewayOutput] {
    var transitions: [RegionTransition] {
        compactMap { if case .transition(let transition, record: _) = $0 { transition } else { nil } }
    }

    /// The radio's conditions as short lines: `stalled 10`.
    var radios: [String] {
        compactMap {
            guard case .radio(let radio, let at) = $0 else { return nil }
            return "\(radio.word) \(Int((at - Story.start).seconds))"
        }
    }
}

extension GatewayEngine {
    /// Checks the monitor's state. A story does so after each of the first reports, and then after one of 100, because it
    /// goes through everything.
    func check() {
        for broken in presence.monitor.checkInvariants() { Issue.record("\(broken), at \(now)") }
    }
}

extension GatewaySettings {
    /// Returns the defaults with one region "door" of the test's UUID, settled from the start.
    static func door(_ change: (inout GatewaySettings, inout BeaconRegion) -> Void = { _, _ in }) -> GatewaySettings {
        var settings = Settings.defaults.gateway
        var rules = BeaconRules.defaults
        rules.settle = .zero
        var region = BeaconRegion(id: "door", uuid: Air.uuid, rules: rules)
        change(&settings, &region)
        settings.regions.beacons = [region]
        return settings
    }
}

extension BeaconRules {
    /// The rules of a region without any in the configuration.
    static let defaults = BeaconRules(
        entryRSSI_dbm: -127, entryAfter: .zero, exitRSSI_dbm: -127, exitAfter: .seconds(20), settle: .seconds(10),
        unknownStateAfter: .seconds(60))
}

extension CapturePlayer {
    /// Returns a player whose engine restores `records`.
    init(
        _ settings: GatewaySettings, restoring records: [RegionRecord], at start: WallTime,
        outputs: inout [GatewayOutput]
    ) {
        let engine = GatewayEngine(
            settings, restoring: records, radioSees: true, at: Instant(microseconds: start.microseconds),
            outputs: &outputs)
        self.init(engine, at: start)
    }
}

extension Story {
    /// Returns the figures after one event, heard a second after the start.
    static func of(event: [UInt8], _ settings: GatewaySettings = .door()) -> Story {
        var air = Air()
        air.event(event, at: 1)
        return Story(settings, air)
    }

    /// Returns the count of `reason`.
    func rejected(_ reason: RejectReason) -> UInt64 { figures.rejects[reason] }
}
