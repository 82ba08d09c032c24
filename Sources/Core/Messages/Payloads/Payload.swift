/// The content of a message of the contract, with its JSON writer.
package protocol Payload: Sendable {
    /// The beginning of every message.
    var head: PayloadHead { get }

    /// Writes the fields behind the head.
    func write(to json: inout JSONWriter)
}

/// A payload with its JSON reader. Reading a written payload gives an equal one. Writing one that was read gives equal
/// octets for gateways of this version.
package protocol ReadablePayload: Payload {
    /// Reads the fields behind the head.
    init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError)
}

extension ReadablePayload {
    /// Reads a payload from outside. Unknown fields are ignored.
    init(decoding octets: [UInt8]) throws(PayloadError) { try self.init(try PayloadFields(octets)) }

    /// Reads a payload from an object inside another one.
    init(_ fields: PayloadFields) throws(PayloadError) {
        var fields = fields
        let head = try PayloadHead(&fields)
        try self.init(head, &fields)
    }
}

extension Payload {
    /// UTF-8 JSON.
    var encoded: [UInt8] {
        var json = JSONWriter()
        head.write(to: &json)
        write(to: &json)
        return json.finish()
    }
}

/// The beginning of every message.
package struct PayloadHead: Hashable, Sendable {
    /// The version of the contract.
    private static let schema = 1

    /// The time of the event that the message gives.
    package var at: WallTime
    /// True if the gateway's clock was synced when the message was written.
    package var isClockSynced: Bool
}

extension PayloadHead {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        _ = try fields.integer("schema", Self.schema...Self.schema)
        at = try fields.time("at")
        isClockSynced = try fields.word("clock") as Clock == .synced
    }

    func write(to json: inout JSONWriter) {
        json.set("schema", Self.schema)
        json.set("at", at)
        json.set("clock", isClockSynced ? Clock.synced : .unsynced)
    }

    private enum Clock: String, CaseIterable {
        case synced
        case unsynced
    }
}

/// The site and gateway of a message that is kept for long, because not every store keeps the topic with it.
package struct PayloadOrigin: Hashable, Sendable {
    var site: String
    package var gateway: String
}

extension PayloadOrigin {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        site = try fields.level("site")
        gateway = try fields.level("gateway")
    }

    func write(to json: inout JSONWriter) {
        json.set("site", site)
        json.set("gateway", gateway)
    }
}

// The fields that several payloads share.

extension PayloadFields {
    /// Reads the name of an epoch.
    mutating func epoch() throws(PayloadError) -> String {
        let epoch = try text("epoch")
        guard (1...64).contains(epoch.utf8.count) else { throw PayloadError("epoch", .mustBeOneOf("1 to 64 bytes")) }
        return epoch
    }

    /// Reads the number of a message within its epoch, from 1.
    mutating func number(_ key: StaticString) throws(PayloadError) -> Int64 { try integer(key, 1...Int64.max) }

    /// Reads the condition of a radio.
    mutating func radio() throws(PayloadError) -> CoveredRadio {
        guard let radio = CoveredRadio(word: try text("radio")) else {
            throw PayloadError("radio", .mustBeOneOf("what a radio does"))
        }
        return radio
    }

    /// Reads the region of a message, and the discriminator of an expanded instance.
    mutating func instance() throws(PayloadError) -> RegionInstanceID {
        let region = try level("region")
        let major: UInt16? = try integerIfPresent("major")
        let minor: UInt16? = try integerIfPresent("minor")
        guard let discriminator = RegionInstanceID.Discriminator(major: major, minor: minor) else {
            throw PayloadError("major", .missing)
        }
        return RegionInstanceID(region: region, discriminator, zone: has("zone") ? try level("zone") : nil)
    }

    mutating func coordinate() throws(PayloadError) -> Coordinate {
        let (latitude, longitude) = (try number("latitude", -90...90), try number("longitude", -180...180))
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw PayloadError("latitude", .mustBeOneOf("a place on the Earth"))
        }
        return coordinate
    }

    mutating func identity() throws(PayloadError) -> BeaconIdentity {
        BeaconIdentity(uuid: try uuid("uuid"), major: try integer("major"), minor: try integer("minor"))
    }

    /// Reads a beacon's distance and level. The distance is unknown exactly where the proximity is.
    mutating func observation() throws(PayloadError) -> BeaconObservation {
        let observation = BeaconObservation(
            accuracy_m: try distance("accuracy_m"), accuracyError_m: try distance("accuracy_error_m"),
            proximity: try word("proximity"), rssi_dbm: try numberOrNull("rssi_dbm", -127...20))
        let isUnknown = observation.proximity == .unknown
        guard (observation.accuracy_m < 0) == isUnknown, (observation.accuracyError_m < 0) == isUnknown else {
            throw PayloadError("accuracy_m", .mustBeOneOf("-1 exactly where proximity is unknown"))
        }
        return observation
    }

    /// Reads metres, or −1 for an unknown distance.
    private mutating func distance(_ key: StaticString) throws(PayloadError) -> Double {
        let distance_m = try number(key, BeaconObservation.undetermined_m...1_000)
        guard distance_m >= 0 || distance_m == BeaconObservation.undetermined_m else {
            throw PayloadError("\(key)", .mustBeOneOf("-1, or 0 to 1000"))
        }
        return distance_m
    }
}

extension JSONWriter {
    mutating func set(_ key: StaticString, _ time: WallTime) { set(key, Timestamp.text(time)) }

    /// Writes the word of a type.
    mutating func set(_ key: StaticString, _ word: some RawRepresentable<String>) { set(key, word.rawValue) }

    mutating func set(_ instance: RegionInstanceID) {
        set("region", instance.region)
        if let major = instance.major { set("major", major) }
        if let minor = instance.minor { set("minor", minor) }
        if let zone = instance.zone { set("zone", zone) }
    }

    /// Writes a place with 7 decimals, which are a centimetre.
    mutating func set(_ coordinate: Coordinate) {
        set("latitude", coordinate.latitude, decimals: 7)
        set("longitude", coordinate.longitude, decimals: 7)
    }

    /// Writes an accuracy, never as 0, because 0 would be read as unknown.
    mutating func set(horizontalAccuracy_m accuracy_m: Double) {
        set("horizontal_accuracy_m", max(accuracy_m, 0.1), decimals: 1)
    }

    /// Writes a direction. A full turn becomes 0, also where rounding causes it.
    mutating func set(_ key: StaticString, direction_deg: Double) {
        set(key, (direction_deg * 10).rounded() < 3_600 ? direction_deg : 0, decimals: 1)
    }

    mutating func set(_ identity: BeaconIdentity) {
        set("uuid", identity.uuid)
        set("major", identity.major)
        set("minor", identity.minor)
    }
}
