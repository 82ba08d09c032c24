@testable import Core

/// A store of simulated gateways that learns, hour by hour.
struct LearningStore {
    static let start = WallTime(microseconds: 1_795_000_000_000_000 / 86_400_000_000 * 86_400_000_000)
    static let uuid = ProximityUUID(high: 0x5A4B_CFCE_174E_4BAC, low: 0xA814_092E_77F6_B7E5)

    var links: GatewayLinks
    private(set) var learning: StoreLearning?
    /// The reports, each with its hour.
    private(set) var reports: [(hour: Int, report: LearnedReport)] = []
    private(set) var records: [String: [UInt8]] = [:]
    /// The hours that have passed.
    private(set) var hour = 0
    private var settings: SiteSettings

    init(_ links: GatewayLinks, hasPlan: Bool = true, named_db: [String: Double] = [:]) throws {
        self.links = links
        var settings = try Settings.parse("[site]\nlearn = true").site ?? Settings.parse("").siteDefaults
        settings.gateways = links.gateways.map { gateway in
            SiteSettings.Gateway(
                id: gateway.id,
                position: hasPlan
                    ? SiteSettings.PlanPoint(x_m: gateway.planned.x_m, y_m: gateway.planned.y_m) : nil,
                rssiOffset_db: named_db[gateway.id])
        }
        self.settings = settings
        learning = StoreLearning(settings, .utc, restoring: [])
        identify()
    }

    static func identity(_ number: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: 1, minor: UInt16(number))
    }

    private mutating func identify() {
        for (number, gateway) in links.gateways.enumerated() {
            learning?.receive(IBeaconFrame(identity: Self.identity(number), measuredPower_dbm: -59), from: gateway.id)
        }
    }

    /// One gateway says that it is the beacon of another one.
    mutating func imitate(_ gateway: Int, as other: Int) {
        let frame = IBeaconFrame(identity: Self.identity(other), measuredPower_dbm: -59)
        learning?.receive(frame, from: links.gateways[gateway].id)
    }

    /// Ends the process, and starts another one.
    ///
    /// - Parameter move: changes the positions in the configuration.
    mutating func restart(_ move: ((inout SiteSettings.PlanPoint) -> Void)? = nil) {
        if let move {
            for index in settings.gateways.indices {
                if var point = settings.gateways[index].position {
                    move(&point)
                    settings.gateways[index].position = point
                }
            }
        }
        learning = StoreLearning(
            settings, .utc, restoring: records.compactMap { StoredLearning($0.value, key: $0.key) })
        identify()
    }

    /// Passes days. Each hour, each gateway publishes its list.
    ///
    /// - Parameter falsify: changes a level that a gateway publishes.
    mutating func pass(
        days: Int = 0, hours: Int = 0, falsify: ((_ receiver: Int, _ sender: Int, _ level_dbm: Int) -> Int)? = nil
    ) {
        for _ in 0..<days * 24 + hours {
            hour += 1
            let now = Self.start + .seconds(hour * 3_600)
            if let update = learning?.pass(to: now) {
                records = update.records
                if let report = update.report { reports.append((hour, report)) }
            }
            if (9..<20).contains(hour % 24) { passBeacons() }
            for receiver in links.gateways.indices where links.isOn(receiver, hour: hour) {
                var beacons: [HeardBeacon] = []
                for sender in links.gateways.indices where sender != receiver {
                    guard let level_dbm = links.level_dbm(at: receiver, of: sender, hour: hour) else { continue }
                    beacons.append(
                        HeardBeacon(
                            identity: Self.identity(sender), firstHeard: .wall(Self.start), lastHeard: .wall(now),
                            rssi_dbm: falsify?(receiver, sender, level_dbm) ?? level_dbm))
                }
                let head = PayloadHead(at: now, isClockSynced: true)
                learning?.receive(
                    BeaconsPayload(head: head, page: 0, pages: 1, beacons: beacons),
                    from: links.gateways[receiver].id, at: now)
            }
        }
    }

    /// Beacons of an hour move through the store.
    private mutating func passBeacons() {
        var offsets_db = learning?.offsets_db ?? [:]
        for gateway in settings.gateways { offsets_db[gateway.id] = gateway.rssiOffset_db ?? offsets_db[gateway.id] }
        for number in 0..<Self.beaconsOfHour {
            let levels = links.levels(ofBeacon: 1_000_000 + hour * Self.beaconsOfHour + number, hour: hour).levels_dbm
            let corrected = levels.enumerated().map { $1 + (offsets_db[links.gateways[$0].id] ?? 0) }
            let best = corrected.indices.filter { links.isHeard(levels[$0], at: $0, hour: hour) }
                .sorted { corrected[$0] > corrected[$1] }
            guard best.count >= 2 else { continue }
            learning?.receive(best.map { (links.gateways[$0].id, levels[$0]) })
        }
    }

    private static let beaconsOfHour = 40

    /// The last report.
    var report: LearnedReport { reports.last?.report ?? LearnedReport() }

    /// The errors of the offsets that are used, and what they were said to be, dB.
    var errors_db: [(error: Double, plusMinus: Double)] {
        let mean_db = links.gateways.reduce(0) { $0 + $1.receive_db } / Double(links.gateways.count)
        return links.gateways.compactMap { gateway in
            guard let learned = report.gateways.first(where: { $0.id == gateway.id }) else { return nil }
            return (learned.rssiOffset_db + gateway.receive_db - mean_db, learned.plusMinus_db)
        }
    }

    /// Returns the share of beacons whose room is that of the gateway that hears best, with those offsets.
    func zones(_ count: Int, offset_db: (Int) -> Double) -> Double {
        let right = (0..<count).count { number in
            let (room, levels) = links.levels(ofBeacon: number)
            let corrected = levels.enumerated().map { $1 + offset_db($0) }
            return corrected.indices.max { corrected[$0] < corrected[$1] } == room
        }
        return Double(right) / Double(count)
    }
}
