import Foundation
import PayloadReaders
import TestAir
import Testing

@testable import Core

/// Payloads of every kind, with any values that the contract allows.
struct Samples {
    private var random: SeededGenerator
    /// The contract's examples of a kind without a generator.
    private var examples: [MessageKind: [[UInt8]]] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Returns a payload; for a kind without a generator, one of its examples in the contract.
    mutating func payload(_ kind: MessageKind) throws -> any Payload {
        if let make = Self.makers[kind] { return make(&self) }
        let examples = try self.examples[kind] ?? kind.examples
        self.examples[kind] = examples
        return try kind.payload.init(decoding: one(of: examples))
    }

    private static let makers: [MessageKind: @Sendable (inout Samples) -> any Payload] = [
        .status: { $0.status() }, .health: { HealthPayload(head: $0.head(), report: $0.report()) },
        .coverage: { $0.coverage() }, .surge: { $0.surge() }, .gap: { $0.gap() }, .event: { $0.event() },
        .state: { $0.state() }, .ranging: { RangingPayload(head: $0.head(), list: $0.list()) },
        .location: { $0.lastPlace() }, .track: { $0.track() }, .settings: { $0.settings() },
        .beacons: { $0.beacons() }, .heat: { $0.heat() }, .count: { $0.count() },
        .response: { $0.response($0.one(of: RequestVerb.allCases)) },
    ]

    private mutating func status() -> StatusPayload {
        StatusPayload(
            head: head(), isOnline: flag(), version: "1.2.3", epoch: epoch(), radio: radio(orStopped: false),
            remedy: text(),
            location: flag()
                ? LocationStatus(availability: one(of: LocationAvailability.allCases), isPaused: flag()) : nil,
            settings: flag()
                ? SettingsInEffect(
                    digest: "00ff00ff00ff00ff",
                    version: flag() ? .random(in: SettingsReport.versions, using: &random) : nil) : nil,
            advertises: flag()
                ? IBeaconFrame(
                    identity: .beacon(1, .random(in: 0...UInt16.max, using: &random)),
                    measuredPower_dbm: .random(in: -127...20, using: &random)) : nil)
    }

    private mutating func beacons() -> BeaconsPayload {
        let count = Int.random(in: 0...5, using: &random)
        return BeaconsPayload(
            head: head(), page: 3, pages: 4,
            beacons: (0..<count).map { minor in
                var battery: HeardBeacon.Battery?
                if flag() {
                    var values = Telemetry(format: one(of: TelemetryFormat.allCases))
                    if flag() { values.battery_percent = .random(in: 0...100, using: &random) }
                    if flag() { values.battery_mV = .random(in: 1...UInt16.max, using: &random) }
                    if flag() { values.temperature_cC = .random(in: -27_315...32_767, using: &random) }
                    battery = HeardBeacon.Battery(values: values, at: .wall(time()))
                }
                return HeardBeacon(
                    identity: .beacon(1, UInt16(minor)), firstHeard: .wall(time()), lastHeard: .wall(time()),
                    interval_ms: flag() ? .random(in: 10...60_000, using: &random) : nil,
                    rssi_dbm: flag() ? .random(in: -127...20, using: &random) : nil, battery: battery)
            })
    }

    private mutating func settings() -> SettingsPayload {
        SettingsPayload(
            head: head(),
            report: SettingsReport(
                version: flag() ? .random(in: SettingsReport.versions, using: &random) : nil,
                outcome: one(of: SettingsReport.Outcome.allCases),
                errors: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    SettingsError(
                        table: text(), index: flag() ? 2 : nil, key: text(), reason: "r" + text(), remedy: "m" + text())
                }, omitted: flag() ? 7 : 0), digest: "00ff00ff00ff00ff")
    }

    private mutating func gap() -> GapPayload {
        GapPayload(
            head: head(), origin: origin(), epoch: epoch(), series: one(of: NumberSeries.allCases),
            numbers: 1...number(), cause: "max_events")
    }

    private mutating func state() -> StatePayload {
        StatePayload(
            head: head(), epoch: epoch(), instance: instance(), detail: detail(),
            state: one(of: RegionState.allCases), since: time(), eventSeq: number() - 1)
    }

    private mutating func lastPlace() -> LocationPayload {
        LocationPayload(
            head: head(), service: one(of: LocationSettings.Service.allCases), fix: fix(),
            age_s: decimal(0...3_600, places: 3), device: flag() ? "/dev/ttyUSB0" : nil)
    }

    private mutating func track() -> TrackPayload {
        numbered(
            TrackBatch(
                fixes: (0..<Int.random(in: 1...5, using: &random)).map { _ in fix() },
                finished: one(of: TrackBatch.Finish.allCases)))
    }

    private mutating func event() -> EventPayload {
        var exit: EventPayload.Stay?
        if flag() {
            exit = EventPayload.Stay(
                enteredAt: time(), lastHeardAt: time(), dwell_s: decimal(0...1e6, places: 3),
                beginning: one(of: [.observed, .partial]),
                ending: one(of: [.observed, .inferred, .unmonitored]), isLate: flag())
        }
        return EventPayload(
            head: head(), origin: flag() ? origin() : nil, epoch: epoch(), seq: number(), region: level(),
            cause: cause(), location: flag() ? location() : nil, exit: exit)
    }

    private mutating func cause() -> RegionEvent.Cause {
        switch one(of: RegionKind.allCases) {
        case .beacon: .beacon(identity(), observation())
        case .circle: .circle(circle())
        }
    }

    private mutating func detail() -> RegionDetail {
        switch one(of: RegionKind.allCases) {
        case .beacon: .beacon
        case .circle: .circle(circle())
        }
    }

    private mutating func circle() -> CircleObservation {
        CircleObservation(
            circle:
                Circle(center: coordinate(), radius_m: decimal(1...100_000, places: 3)),
            distance_m: flag() ? decimal(0...1e6, places: 1) : nil)
    }

    private mutating func location() -> EventLocation {
        EventLocation(
            coordinate: coordinate(), horizontalAccuracy_m: decimal(0...1_000, places: 1),
            age: .seconds(decimal(0...3_600, places: 3)))
    }

    private mutating func fix() -> Fix {
        Fix(
            at: time(), coordinate: coordinate(), horizontalAccuracy_m: decimal(0.1...1_000, places: 1),
            altitude_m: flag() ? decimal(-400...9_000, places: 1) : nil,
            speed_m_s: flag() ? decimal(0.5...100, places: 2) : nil,
            course_deg: flag() ? decimal(0...359, places: 1) : nil,
            heading_deg: flag() ? decimal(0...359, places: 1) : nil)
    }

    private mutating func coordinate() -> Coordinate {
        let (latitude, longitude) = (decimal(-90...90, places: 6), decimal(-180...180, places: 6))
        return Coordinate(latitude: latitude, longitude: longitude) ?? coordinate()
    }

    private mutating func coverage() -> CoveragePayload {
        let from = time()
        return numbered(
            Coverage(
                from: from, to: from + .milliseconds(Int64.random(in: 0...3_600_000, using: &random)),
                radio: radio(orStopped: true)))
    }

    private mutating func surge() -> SurgePayload {
        let (from, refused) = (time(), number())
        return numbered(
            Surge(
                from: from, to: from + .milliseconds(Int64.random(in: 0...60_000, using: &random)), region: level(),
                refused: refused, identities: Int64.random(in: 1...refused, using: &random)))
    }

    private mutating func heat() -> HeatPayload {
        let from = time()
        let sheet = HeatSheet(
            from: from, to: from + .milliseconds(Int64.random(in: 0...3_600_000, using: &random)), page: 1, pages: 2,
            cell_m: decimal(0.5...100, places: 3),
            cells: (0..<Int.random(in: 0...5, using: &random)).map { _ in
                HeatSheet.Cell(
                    floor: .random(in: HeatSheet.floors, using: &random), x_m: decimal(HeatSheet.places_m, places: 3),
                    y_m: decimal(HeatSheet.places_m, places: 3), seconds: number(),
                    beacons: .random(in: HeatSheet.beacons, using: &random))
            }, omittedCells: .random(in: 0...Int64(HeatSheet.maxCellsOfHour), using: &random),
            omitted_s: flag() ? number() : nil, unplaced_s: flag() ? number() : nil)
        return numbered(sheet)
    }

    private mutating func count() -> CountPayload {
        let (from, minimum) = (time(), Int64.random(in: VisitCount.minimums, using: &random))
        let visits = VisitCount(
            region: level(), from: from, to: from + .milliseconds(Int64.random(in: 1...90_000_000, using: &random)),
            minimum: minimum, entered: flag() ? minimum : nil, left: flag() ? minimum + 7 : nil,
            present: flag() ? minimum : 0,
            dwell: VisitCount.bounds_s.filter { _ in flag() }.map { .init(from_s: $0, visits: minimum + 1) },
            dwellFrom: flag() ? time() : nil,
            ways: flag()
                ? VisitCount.Ways(
                    from: time(),
                    cells: [.init(way: VisitCount.Way(from: level(), to: level()), visits: minimum + 3)])
                : nil,
            isPartial: flag())
        return numbered(visits)
    }

    private mutating func response(_ verb: RequestVerb) -> ResponsePayload {
        let result: ResponsePayload.Result =
            if flag() {
                .refused(RequestError(one(of: RequestError.Code.allCases), text()))
            } else {
                switch verb {
                case .state:
                    .states(
                        (0..<Int.random(in: 0...5, using: &random)).map { _ in
                            ListedState(
                                instance: instance(), state: one(of: RegionState.allCases), since: time(),
                                eventSeq: number())
                        }, next: flag() ? 17 : nil)
                case .range: .ranging(list())
                case .monitor: .monitoring(region: level())
                case .stop: .stopped(region: level(), instances: Int.random(in: 0...9, using: &random))
                case .location: .location(fix(), age_s: decimal(0...300, places: 3))
                }
            }
        return ResponsePayload(head: head(), request: verb.rawValue, result: result)
    }

    private mutating func report() -> HealthReport {
        var report = HealthReport()
        for reason in RejectReason.allCases { report.engine.rejects[reason] = UInt64(number()) }
        report.engine.suspectedSpoofing = SuspectedSpoofing.Kind.allCases.filter { _ in flag() }.map {
            SuspectedSpoofing(kind: $0, rate_per_s: decimal(0...5_000, places: 1))
        }
        report.engine.suspectReadings = SuspectReadings.Kind.allCases.filter { _ in flag() }.map {
            SuspectReadings(adapter: text(), kind: $0)
        }
        report.engine.implausiblePowers = (0..<number() % 4).map { _ in
            ImplausiblePower(identity: identity(), measuredPower_dbm: Int8(clamping: number()))
        }
        (report.engine.listedTracks, report.engine.instances, report.queueDepth) = (3, 4, 5)
        report.reportsPerSecond = decimal(0...5_000, places: 1)
        report.drops = [NamedCount("answers", UInt64(number()))]
        (report.uptime_s, report.outbox) = (decimal(0...1e9, places: 0), text())
        guard flag() else { return report }
        report.recoveries = [NamedCount("reset", 1)]
        report.process = HealthReport.Process(rss_kib: 15_000, cpu_s: nil, cpu_percent: decimal(0...100, places: 2))
        report.broker = HealthReport.Broker(
            isConnected: flag(), reconnects: UInt64(number()), refused: [NamedCount("quota_exceeded", 2)],
            noSubscribers: UInt64(number()), lastFailure: text())
        return report
    }

    private mutating func list() -> ListedBeacons {
        ListedBeacons(
            instance: instance(), count: 2,
            beacons: (0..<Int.random(in: 0...4, using: &random)).map { _ in
                ListedBeacon(
                    track: UInt64(number()), identity: identity(), observation: observation(),
                    measuredPower_dbm: Int8.random(in: .min ... .max, using: &random), age_ms: number(),
                    reception: flag()
                        ? Reception(
                            interval_ms: .random(in: 10...60_000, using: &random),
                            reports_per_s: decimal(0...1_000, places: 2)) : nil,
                    device: flag() ? text() : nil, isResolving: flag(), isDuplicate: flag())
            })
    }

    private mutating func observation() -> BeaconObservation {
        let rssi_dbm = flag() ? decimal(-127...20, places: 1) : nil
        guard flag() else { return .undetermined(rssi_dbm: rssi_dbm) }
        return BeaconObservation(
            accuracy_m: decimal(0...1_000, places: 2), accuracyError_m: decimal(0...1_000, places: 2),
            proximity: one(of: [.immediate, .near, .far]), rssi_dbm: rssi_dbm)
    }

    private mutating func numbered<Content>(_ content: Content) -> NumberedEnvelope<Content> {
        NumberedEnvelope(
            head: head(), origin: origin(), number: .init(epoch: epoch(), series: Content.series, seq: number()),
            content: content)
    }

    private mutating func head() -> PayloadHead { PayloadHead(at: time(), isClockSynced: flag()) }
    private mutating func origin() -> PayloadOrigin { PayloadOrigin(site: level(), gateway: level()) }
    private mutating func epoch() -> String { "01KDVDNA0T000000000000000\(Int.random(in: 0...9, using: &random))" }
    private mutating func flag() -> Bool { Bool.random(using: &random) }
    private mutating func number() -> Int64 { Int64.random(in: 1...(flag() ? 9 : .max), using: &random) }

    private mutating func decimal(_ range: ClosedRange<Double>, places: Int) -> Double {
        var factor = 1.0
        for _ in 0..<places { factor *= 10 }
        return (Double.random(in: range, using: &random) * factor).rounded() / factor
    }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    private mutating func identity() -> BeaconIdentity {
        BeaconIdentity(
            uuid: ProximityUUID(high: random.next(), low: random.next()),
            major: UInt16.random(in: 0 ... .max, using: &random), minor: UInt16.random(in: 0 ... .max, using: &random))
    }

    private mutating func instance() -> RegionInstanceID {
        let identity = identity()
        return RegionInstanceID(
            region: level(),
            one(of: [.whole, .major(identity.major), .minor(major: identity.major, minor: identity.minor)]))
    }

    /// Returns a time from the year 0 to the end of 9999, to a millisecond.
    private mutating func time() -> WallTime {
        WallTime(microseconds: Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random) * 1_000)
    }

    private mutating func radio(orStopped: Bool) -> CoveredRadio {
        one(of: RadioAvailability.allCases.map { .live($0) } + [.replay] + (orStopped ? [.stopped] : []))
    }

    private mutating func level() -> String { one(of: ["carts", "Käse 🧀", "a\"b\\c", "7"]) }
    private mutating func text() -> String { one(of: ["", "plain", "it \"hung up\"\n\u{1}\\", "Käse 🧀"]) }
}

/// Returns the fields of a message's payload.
func json(_ message: Message) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any])
}

extension MessageKind {
    /// Returns the contract's examples of the kind, as JSON.
    var examples: [[UInt8]] {
        get throws {
            let files =
                self == .response
                ? RequestVerb.allCases.map { "response-\($0)" } + ["response-refused"]
                : [rawValue.replacing("/", with: "-")]
            return try files.flatMap { (name) throws -> [[UInt8]] in
                let file = URL(filePath: #filePath).deletingLastPathComponent()
                    .appending(path: "../../../../deploy/contract/\(name).schema.json")
                let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
                let shown = schema["examples"] as? [Any] ?? []
                return try shown.map { try Array(JSONSerialization.data(withJSONObject: $0)) }
            }
        }
    }
}
