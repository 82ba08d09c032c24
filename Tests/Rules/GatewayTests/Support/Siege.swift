import TestAir

@testable import Core

/// Twenty genuine beacons, each with its own region, heard once a second while an attacker floods the air.
///
/// The odd ones are there from the start and leave at 70 s; the even ones come at 80 s and stay. A flood must neither
/// hide these events nor add any. Each beacon has one expected event.
struct Siege {
    static let genuine: [BeaconIdentity] = (1...20).map { .beacon(1, $0) }
    private(set) var engine: GatewayEngine
    private(set) var events: [String] = []
    private(set) var mostTransmitters = 0
    private(set) var mostTimers = 0
    private(set) var mostIdentities = 0
    /// The suspicions at any time, with the highest rate.
    private(set) var suspects: [SuspectedSpoofing.Kind: Double] = [:]
    private var outputs: [GatewayOutput] = []
    private var second = 0

    /// - Parameter others: regions beside those of the genuine beacons.
    init(following others: [BeaconRegion] = []) {
        var settings = GatewaySettings.door()
        settings.regions.beacons = others
        for identity in Self.genuine {
            settings.regions.beacons.append(
                BeaconRegion(
                    id: "genuine-\(identity.minor)", uuid: identity.uuid, major: identity.major, minor: identity.minor,
                    isRanged: false, rules: BeaconRules.defaults))
        }
        engine = GatewayEngine(settings, radioSees: true, at: .origin, outputs: &outputs)
    }

    /// Lets time pass until `seconds`, with `flood` heard evenly in each second.
    mutating func pass(until seconds: Int, flood: (Int) -> [[UInt8]] = { _ in [] }) {
        while second < seconds {
            let start = Instant.origin + .seconds(Double(second))
            let strangers = flood(second)
            for (number, event) in strangers.enumerated() {
                let part = Double(number) / Double(strangers.count)
                if number == strangers.count / 2 { hearGenuine(at: start + .seconds(part)) }
                engine.receive(event.span, at: start + .seconds(part), outputs: &outputs)
            }
            if strangers.isEmpty { hearGenuine(at: start) }
            second += 1
            engine.advance(through: .origin + .seconds(Double(second)), outputs: &outputs)
            look()
        }
    }

    /// The track of each genuine beacon that is there.
    var tracks: [UInt16: TrackID] {
        var tracks: [UInt16: TrackID] = [:]
        for identity in Self.genuine {
            guard let slot = engine.presence.tracker.table.slot(identity, .fixed(UInt64(identity.minor))) else {
                continue
            }
            tracks[identity.minor] = engine.presence.tracker[slot].track
        }
        return tracks
    }

    private mutating func hearGenuine(at instant: Instant) {
        for identity in Self.genuine where identity.minor % 2 == 1 ? second < 70 : second >= 80 {
            let report = Air.legacyReport(.fixed(UInt64(identity.minor)), data: Air.payload(identity))
            engine.receive(Air.metaEvent([report]).span, at: instant, outputs: &outputs)
        }
    }

    private mutating func look() {
        for case .transition(let transition, record: _) in outputs {
            guard let event = transition.event, transition.instance.region.hasPrefix("genuine") else { continue }
            events.append("\(event.kind == .enter ? "enter" : "exit") \(transition.instance.region)")
        }
        outputs.removeAll(keepingCapacity: true)
        mostTransmitters = max(mostTransmitters, engine.presence.tracker.table.count)
        mostTimers = max(
            mostTimers, engine.presence.tracker.timerCount, engine.presence.monitor.timerCount,
            engine.presence.ranger.timerCount)
        mostIdentities = max(mostIdentities, engine.presence.tracker.table.identities.slotCount)
        for suspect in engine.figures.suspectedSpoofing {
            suspects[suspect.kind] = max(suspects[suspect.kind] ?? 0, suspect.rate_per_s)
        }
    }
}

/// The number of timers of each part, stale ones included, which a flood must not let grow.
extension BeaconTracker {
    var timerCount: Int { presence.timers.count + rotation.newcomers.timers.count }
}

extension RegionMonitor {
    var timerCount: Int { instances.sources.reduce(0) { $0 + $1.timers.count } }
}

extension Ranger {
    var timerCount: Int { timers.count }
}
