/// The names of each kind of region in messages, in stored lines and in other formats. Each name is here once, with its
/// reader beside its writer.

// MARK: - Words of a kind

extension RegionKind {
    /// The field that identifies this kind in a message; `nil` for the kind without such a field.
    private var knownBy: StaticString? {
        switch self {
        case .beacon: nil
        case .circle: "center"
        }
    }

    /// The kind that a message is about.
    fileprivate init(_ fields: inout PayloadFields) {
        self = .beacon
        for kind in Self.allCases {
            if let field = kind.knownBy, fields.has(field) { self = kind }
        }
    }

    /// The key of the last evidence in an exit.
    var lastEvidence: StaticString {
        switch self {
        case .beacon: "last_heard_at"
        case .circle: "last_inside_at"
        }
    }

    /// The value of OwnTracks for this kind in a `transition`.
    var ownTracksType: String {
        switch self {
        case .beacon: "b"
        case .circle: "c"
        }
    }

    /// The version of a stored line of this version.
    fileprivate var storedVersion: String {
        switch self {
        case .beacon: "2"
        case .circle: "1"
        }
    }
}

// MARK: - Messages

extension RegionEvent.Cause {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        switch RegionKind(&fields) {
        case .beacon: self = .beacon(try fields.identity(), try fields.observation())
        case .circle: self = .circle(try CircleObservation(&fields))
        }
    }

    func write(to json: inout JSONWriter) {
        switch self {
        case .beacon(let identity, let observation):
            json.set(identity)
            json.set("rssi_dbm", observation.rssi_dbm, decimals: 1)
            json.set("accuracy_m", observation.accuracy_m, decimals: 2)
            json.set("accuracy_error_m", observation.accuracyError_m, decimals: 2)
            json.set("proximity", observation.proximity)
        case .circle(let observation): observation.write(to: &json)
        }
    }

    /// This cause without the gateway's place.
    var withoutPlace: RegionEvent.Cause {
        switch self {
        case .beacon: self
        case .circle(let observation): .circle(observation.withoutPlace)
        }
    }
}

extension RegionDetail {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        switch RegionKind(&fields) {
        case .beacon: self = .beacon
        case .circle: self = .circle(try CircleObservation(&fields))
        }
    }

    func write(to json: inout JSONWriter) {
        switch self {
        case .beacon: break
        case .circle(let observation): observation.write(to: &json)
        }
    }

    /// This detail without the gateway's place.
    var withoutPlace: RegionDetail {
        switch self {
        case .beacon: self
        case .circle(let observation): .circle(observation.withoutPlace)
        }
    }
}

extension CircleObservation {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        let center = try fields.object("center") { fields throws(PayloadError) in try fields.coordinate() }
        let circle = Circle(center: center, radius_m: try fields.number("radius_m", 0...CircularRegion.maxRadius_m))
        self.init(
            circle: circle, distance_m: fields.has("distance_m") ? try fields.number("distance_m", 0...30_000_000) : nil
        )
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.set("center") { json in json.set(circle.center) }
        json.set("radius_m", circle.radius_m, decimals: 3)
        if let distance_m { json.set("distance_m", distance_m, decimals: 1) }
    }

    fileprivate var withoutPlace: CircleObservation { CircleObservation(circle: circle, distance_m: nil) }
}

// MARK: - Stored lines

extension StoredTag {
    init(_ kind: RegionKind) { self.init(kind: kind.rawValue, version: kind.storedVersion) }

    /// The kind of region of a line; `nil` where this version cannot read it.
    var regionKind: RegionKind? { RegionKind.allCases.first { self == StoredTag($0) } }
}

extension RegionRecord.Kind {
    var tag: StoredTag {
        switch self {
        case .beacon: StoredTag(.beacon)
        case .circle: StoredTag(.circle)
        }
    }

    var words: [String] {
        switch self {
        case .beacon(of: nil): return []
        case .beacon(of: let constraint?):
            var words = ["of=\(constraint.uuid)"]
            if let major = constraint.major { words.append("of_major=\(major)") }
            if let minor = constraint.minor { words.append("of_minor=\(minor)") }
            return words
        case .circle(of: let circle):
            // All digits, because a circle that differs in the last one is another.
            return [
                "of_latitude=\(circle.center.latitude)", "of_longitude=\(circle.center.longitude)",
                "of_radius_m=\(circle.radius_m)",
            ]
        }
    }

    /// Returns `nil` where a required word is missing or damaged.
    init?(_ kind: RegionKind, _ words: StoredFields) {
        switch kind {
        case .beacon: self = .beacon(of: BeaconIdentityConstraint(words))
        case .circle:
            guard let circle = Circle(words) else { return nil }
            self = .circle(of: circle)
        }
    }
}

extension BeaconKeeper {
    /// The words of the beacons that keep it inside.
    var words: [String] { ["major=\(major)", "minor=\(minor)", "patience_us=\(patience.microseconds)"] }

    /// The words at the end of the line.
    var lastWords: [String] { rssi_dbm.map { ["rssi_dbm=\(JSONWriter.decimal($0, decimals: 1))"] } ?? [] }

    /// Returns `nil` where a word is missing or damaged.
    init?(_ words: StoredFields) {
        guard let major: UInt16 = words.value("major"), let minor: UInt16 = words.value("minor"),
            let patience_us: Int64 = words.value("patience_us")
        else { return nil }
        self.init(
            major: major, minor: minor, patience: TimeSpan(microseconds: max(0, patience_us)),
            rssi_dbm: words.value("rssi_dbm"))
    }
}

extension Circle {
    fileprivate init?(_ words: StoredFields) {
        guard let latitude: Double = words.value("of_latitude"), let longitude: Double = words.value("of_longitude"),
            let center = Coordinate(latitude: latitude, longitude: longitude),
            let radius_m: Double = words.value("of_radius_m"), radius_m > 0, radius_m.isFinite
        else { return nil }
        self.init(center: center, radius_m: radius_m)
    }
}

extension BeaconIdentityConstraint {
    fileprivate init?(_ words: StoredFields) {
        guard let uuid = words["of"].flatMap({ ProximityUUID($0) }) else { return nil }
        self.init(uuid: uuid, major: words.value("of_major"), minor: words.value("of_minor"))
    }
}
