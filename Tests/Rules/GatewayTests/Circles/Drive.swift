import TestAir
import Testing

@testable import Core

/// A gateway with circles that drives about: fixes go in, and its outputs come out as short lines.
struct Drive {
    static let gate = place(52.5163, 13.3777)
    /// The length of a degree of latitude at the gate, metres.
    static let degree_m = 111_264.0

    private(set) var engine: GatewayEngine
    private(set) var outputs: [GatewayOutput] = []
    /// The records that a later process would restore.
    private(set) var stored: [RegionInstanceID: RegionRecord] = [:]

    init(
        _ circles: [CircularRegion], restoring records: [RegionRecord] = [], maxWatched: Int = 20,
        _ change: (inout GatewaySettings) -> Void = { _ in }
    ) {
        var settings = Settings.defaults.gateway
        settings.regions.limits.maxRegions = max(1_024, circles.count)
        settings.regions.limits.maxWatchedCircles = maxWatched
        settings.regions.configured = circles.map { .circle($0) }
        settings.location = .defaults
        settings.location?.source = .gpsd(host: "127.0.0.1", port: 2947)
        settings.location?.desiredAccuracy_m = 100_000
        settings.location?.pausing = nil
        change(&settings)
        engine = GatewayEngine(settings, restoring: records, radioSees: true, at: .origin, outputs: &outputs)
        keep()
    }

    /// A gateway inside a circle since 20 s, or outside.
    static func inside(_ region: CircularRegion = depot()) -> Drive { stays(region, north_m: 0) }
    static func outside(_ region: CircularRegion = depot()) -> Drive { stays(region, north_m: 300) }

    private static func stays(_ region: CircularRegion, north_m: Double) -> Drive {
        var drive = Drive([region])
        drive.stay(0...20, north_m: north_m)
        return drive
    }

    /// A circle of 100 m around the gate.
    static func depot(
        _ id: String = "depot", center: Coordinate = gate, radius_m: Double = 100, cushion_m: Double = 20,
        crossingAfter_s: Double = 20, onEntry: Bool = true, onExit: Bool = true
    ) -> CircularRegion {
        CircularRegion(
            id: id, circle: Circle(center: center, radius_m: radius_m), notifyOnEntry: onEntry, notifyOnExit: onExit,
            rules: CircleRules(
                cushion_m: cushion_m, crossingAfter: .seconds(crossingAfter_s), unknownStateAfter: .seconds(60)))
    }

    /// Returns a place so far north of another one, to within a thousandth.
    static func north(_ distance_m: Double, of place: Coordinate = gate) -> Coordinate {
        Self.place(place.latitude + distance_m / degree_m, place.longitude)
    }

    /// Returns a place that the test knows to be on the Earth.
    static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("\(latitude), \(longitude) is not on the Earth")
        }
        return place
    }

    /// One fix.
    mutating func fix(_ t_s: Double, at place: Coordinate, accuracy_m: Double = 5) {
        let report = FixReport(
            mode: 3, at: WallTime(microseconds: 1_700_000_000_000_000) + .seconds(t_s), latitude: place.latitude,
            longitude: place.longitude, horizontalAccuracy_m: accuracy_m)
        engine.receive(
            DeviceReport(device: "", report: report), at: .origin + .seconds(t_s), clock: nil, outputs: &outputs)
        keep()
    }

    /// A fix every second, at a distance from the gate.
    mutating func stay(_ seconds: ClosedRange<Int>, north_m: Double, accuracy_m: Double = 5) {
        for second in seconds { fix(Double(second), at: Self.north(north_m), accuracy_m: accuracy_m) }
    }

    /// A report of a beacon.
    mutating func hear(_ identity: BeaconIdentity, at t_s: Double) {
        var air = Air()
        air.beacon(identity, from: .fixed(1), at: t_s)
        for transmission in air.inOrder {
            engine.receive(transmission.event.span, at: .origin + .seconds(t_s), outputs: &outputs)
        }
        keep()
    }

    mutating func advance(to t_s: Double) {
        engine.advance(through: .origin + .seconds(t_s), outputs: &outputs)
        keep()
    }

    /// Answers a request, and returns the result.
    mutating func ask(_ request: Request, at t_s: Double) -> Answer.Result? {
        let address = ReplyAddress(verb: "test", topic: "answers")
        engine.answer(request, to: address, at: .origin + .seconds(t_s), outputs: &outputs)
        keep()
        return outputs.last?.content(Answer.self)?.result
    }

    /// Whether the receiver is still needed.
    var isCrossingUndecided: Bool { engine.presence.monitor.kinds.isCrossingUndecided }

    /// Turns the receiver off, as a service does.
    mutating func rest(at t_s: Double) {
        advance(to: t_s)
        engine.presence.receiverRests(true, at: .origin + .seconds(t_s))
    }

    mutating func listen(at t_s: Double) {
        advance(to: t_s)
        engine.presence.receiverRests(false, at: .origin + .seconds(t_s))
    }

    /// Stores the open stays, as every minute and at the end.
    mutating func store() {
        engine.presence.storeStays(outputs: &outputs)
        keep()
    }

    private mutating func keep() {
        engine.check()
        for output in outputs {
            switch output {
            case .transition(_, let record?): stored[record.instance] = record
            case .stays(let records): for record in records { stored[record.instance] = record }
            default: break
            }
        }
    }

    var transitions: [RegionTransition] { outputs.transitions }
    /// States as short lines: `inside depot 20.0`.
    var states: [String] { transitions.map { $0.stateLine() } }
    /// Events as short lines: `enter depot 20.0`.
    var events: [String] { transitions.compactMap { $0.eventLine() } }

    /// The notices to the operator.
    var notices: [RegionMonitoringNotice] {
        outputs.compactMap { output in
            if case .notice(let notice, at: _) = output { notice } else { nil }
        }
    }

    /// The stay that the last exit ended.
    var stay: RegionStay? {
        transitions.compactMap { transition -> RegionStay? in
            if case .exit(let stay)? = transition.event?.kind { stay } else { nil }
        }.last
    }
}

extension RegionTransition {
    /// The outputs of a circle.
    var circle: CircleObservation? {
        if case .circle(let circle) = detail { circle } else { nil }
    }
}
