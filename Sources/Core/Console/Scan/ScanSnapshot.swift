/// The beacons in the air at one moment.
package struct ScanSnapshot: Sendable {
    /// One transmitter of one identity.
    struct Row: Sendable {
        var beacon: RangedBeacon
        /// The reports a second over the last five seconds.
        var rate_hz: Double
        /// The time since the last report.
        var age: TimeSpan
        /// The ids of the configured regions that contain it, in their order.
        var regions: [String]
    }

    /// The rows, the nearest first, unknown ones last.
    var rows: [Row]
    /// The number of physical beacons, without addresses that may be rotations.
    var beaconCount: Int
    /// The advertising reports a second, iBeacon or not.
    var reportRate_hz: Double
    /// The advertising reports since the start, iBeacon or not.
    package var reports: UInt64
    var rejects: RejectCounts
    /// The transmitters refused because `radio.max_transmitters` were there.
    var refusedTransmitters: UInt64
}

/// One update of `beacond scan --json`. The article `Installing` lists the fields.
package enum ScanJSON {
    /// Returns one line, with its line end.
    package static func line(_ snapshot: ScanSnapshot, _ status: ScanStatus, at time: WallTime) -> [UInt8] {
        var json = JSONWriter()
        json.set("at", time)
        json.set("adapter", status.adapters)
        json.set("radio", status.availability?.rawValue ?? "starting")
        json.set("remedy", status.remedy)
        json.set("reports", snapshot.reports)
        json.set("reports_per_s", snapshot.reportRate_hz, decimals: 1)
        json.set("rejected", snapshot.rejects.total)
        json.set("dropped", status.dropped)
        if let location = status.location { json.set("location") { json in location.write(to: &json) } }
        json.set("count", snapshot.beaconCount)
        json.set("beacons", objectsFor: snapshot.rows) { row, json in set(row, in: &json) }
        return json.finish() + [UInt8(ascii: "\n")]
    }

    private static func set(_ row: ScanSnapshot.Row, in json: inout JSONWriter) {
        let beacon = row.beacon
        json.set("track", beacon.track)
        json.set("uuid", beacon.identity.uuid.description)
        json.set("major", beacon.identity.major)
        json.set("minor", beacon.identity.minor)
        json.set("proximity", beacon.observation.proximity)
        json.set("accuracy_m", beacon.observation.accuracy_m, decimals: 2)
        json.set("accuracy_error_m", beacon.observation.accuracyError_m, decimals: 2)
        json.set("rssi_dbm", beacon.observation.rssi_dbm, decimals: 1)
        json.set("measured_power_dbm", beacon.measuredPower_dbm)
        json.set("reports_per_s", row.rate_hz, decimals: 1)
        json.set("age_ms", max(0, row.age.microseconds / 1_000))
        json.set("address", beacon.address.description)
        json.set("address_kind", AddressKind(beacon.address))
        json.set("rotates", beacon.address.rotates)
        json.set("regions", strings: row.regions)
        if beacon.isResolving { json.set("resolving", true) }
        if beacon.isDuplicate { json.set("duplicate", true) }
        if beacon.statesImplausiblePower { json.set("implausible_power", true) }
    }
}

/// The state of the radio and the capture above the table.
package struct ScanStatus: Hashable, Sendable {
    /// The adapters requested: `hci0 (00:1A:7D:DA:71:13)`, or `auto`.
    package var adapters: String
    /// The availability; `nil` until it is known.
    package var availability: RadioAvailability?
    /// One sentence; empty where no action is needed.
    package var remedy: String
    /// The state of `--write`: `room.btsnoop: 1234 events`; empty without it.
    var capture: String
    /// The last message of the radio, such as a command that was refused; empty without one.
    var notice: String
    /// The packets that the kernel dropped because they were not read in time.
    var dropped: UInt64
    /// The gateway's place; `nil` without `--location`.
    package var location: ScanLocation?

    package init(
        adapters: String, availability: RadioAvailability? = nil, remedy: String = "", capture: String = "",
        notice: String = "", dropped: UInt64 = 0, location: ScanLocation? = nil
    ) {
        self.adapters = adapters
        self.availability = availability
        self.remedy = remedy
        self.capture = capture
        self.notice = notice
        self.dropped = dropped
        self.location = location
    }
}

/// The kind of an advertiser's address, which shows whether it rotates.
///
/// Core 5.4, Vol 6, Part B, 1.3. The raw value is the word in the JSON of `beacond scan`.
enum AddressKind: String, CaseIterable {
    case `public`
    case randomStatic = "random_static"
    case resolvablePrivate = "resolvable_private"
    case nonResolvablePrivate = "non_resolvable_private"
    /// A random address of the reserved kind.
    case reserved
    /// An extended advertisement without an address.
    case anonymous

    init(_ address: DeviceAddress) {
        switch address.type {
        case .public, .publicIdentity: self = .public
        case .randomIdentity: self = .randomStatic
        case .anonymous: self = .anonymous
        case .random:
            switch address.bits >> 46 {
            case 0b11: self = .randomStatic
            case 0b01: self = .resolvablePrivate
            case 0b00: self = .nonResolvablePrivate
            default: self = .reserved
            }
        }
    }

    /// The word for a narrow column. `private` addresses rotate.
    var short: String {
        switch self {
        case .public: "public"
        case .randomStatic: "static"
        case .resolvablePrivate, .nonResolvablePrivate: "private"
        case .reserved: "random"
        case .anonymous: "none"
        }
    }
}

/// The place in `beacond scan --location`.
package struct ScanLocation: Hashable, Sendable {
    var availability: LocationAvailability
    /// The last used fix; `nil` before the first.
    var fix: PlacedFix?
    var age: TimeSpan
    /// The counts of fixes, and of the reasons for rejected ones.
    var counts: FixCounts
    /// Advice where there is no gpsd; empty where there is one.
    var remedy: String

    package init(
        availability: LocationAvailability, fix: PlacedFix?, age: TimeSpan, counts: FixCounts, remedy: String
    ) {
        self.availability = availability
        self.fix = fix
        self.age = age
        self.counts = counts
        self.remedy = remedy
    }

    /// The place as one line: `location: located  52.5163000, 13.3777000 ± 3.1 m  12.4 m/s  course 80°  0.4 s ago
    /// /dev/ttyACM0`.
    package var line: String {
        var parts = ["location: \(availability.rawValue)"]
        if let placed = fix {
            let fix = placed.fix
            let accuracy = Figures.fixed(fix.horizontalAccuracy_m, decimals: 1)
            let (latitude, longitude) = (fix.coordinate.latitude, fix.coordinate.longitude)
            parts.append(
                "\(Figures.fixed(latitude, decimals: 6)), \(Figures.fixed(longitude, decimals: 6)) ± \(accuracy) m")
            if let altitude_m = fix.altitude_m { parts.append("altitude \(Figures.fixed(altitude_m, decimals: 0)) m") }
            if let speed_m_s = fix.speed_m_s { parts.append("\(Figures.fixed(speed_m_s, decimals: 1)) m/s") }
            if let course_deg = fix.course_deg { parts.append("course \(Figures.fixed(course_deg, decimals: 0))°") }
            if let heading_deg = fix.heading_deg { parts.append("heading \(Figures.fixed(heading_deg, decimals: 0))°") }
            parts.append("\(Figures.fixed(age.seconds, decimals: 1)) s ago")
            if let device = placed.device { parts.append(device) }
        }
        if counts.allRejected > 0 { parts.append("\(counts.used) used, \(counts.allRejected) rejected") }
        if !remedy.isEmpty { parts.append(remedy) }
        return parts.joined(separator: "  ")
    }

    func write(to json: inout JSONWriter) {
        json.set("availability", availability)
        if let placed = fix {
            json.set("fix") { json in placed.fix.write(to: &json) }
            json.set("age_s", age.seconds, decimals: 1)
            if let device = placed.device { json.set("device", device) }
        }
        json.set("used", counts.used)
        json.set("rejected") { json in
            for reason in FixRejection.allCases { json.set(reason.rawValue, count: UInt64(clamping: counts[reason])) }
        }
        json.set("remedy", remedy)
    }
}
