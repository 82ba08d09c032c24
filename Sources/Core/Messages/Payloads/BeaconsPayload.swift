/// `beacons/{page}`: a page of the list of beacons.
package struct BeaconsPayload: ReadablePayload, Hashable {
    package var head: PayloadHead
    /// The number of the page, from 0 on.
    var page: Int
    /// The number of pages, at least 1.
    var pages: Int
    package var beacons: [HeardBeacon]
}

extension BeaconsPayload {
    /// The most beacons of a page.
    static let maxBeacons = 200

    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, page: try fields.integer("page", 0...Int(UInt16.max)),
            pages: try fields.integer("pages", 1...Int(UInt16.max) + 1),
            beacons: try fields.list("beacons", HeardBeacon.init))
        guard page < pages else { throw PayloadError("page", .mustBeOneOf("less than pages")) }
        guard beacons.count <= Self.maxBeacons else {
            throw PayloadError("beacons", .tooLong(limit: Self.maxBeacons))
        }
    }

    package func write(to json: inout JSONWriter) {
        json.reserve(octets: 64 + beacons.count * 320)
        json.set("page", page)
        json.set("pages", pages)
        json.set("beacons", objectsFor: beacons) { beacon, json in beacon.write(to: &json) }
    }

    /// Returns the beacons of stored pages; without those of pages that cannot be read, and of a clock that was not
    /// synced.
    ///
    /// - Parameter first: the time since which a beacon has been heard to be returned; `nil` where the clock can't say.
    package static func beacons(ofStored pages: [[UInt8]], heardSince first: WallTime? = nil) -> [HeardBeacon] {
        let beacons = pages.flatMap { octets -> [HeardBeacon] in
            guard var fields = try? PayloadFields(octets), let head = try? PayloadHead(&fields), head.isClockSynced,
                let payload = try? BeaconsPayload(head, &fields)
            else { return [] }
            return payload.beacons
        }
        guard let first else { return beacons }
        return beacons.filter { beacon in if case .wall(let last) = beacon.lastHeard { last >= first } else { true } }
    }
}

extension HeardBeacon {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            identity: try fields.identity(), firstHeard: .wall(try fields.time("first_heard_at")),
            lastHeard: .wall(try fields.time("last_heard_at")),
            interval_ms: fields.isNull("interval_ms") ? nil : try fields.integer("interval_ms", 10...60_000),
            rssi_dbm: fields.isNull("rssi_dbm") ? nil : try fields.integer("rssi_dbm", -127...20),
            battery: fields.has("telemetry_at") ? try Battery(&fields) : nil)
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.set(identity)
        json.set("first_heard_at", firstHeard)
        json.set("last_heard_at", lastHeard)
        json.set("interval_ms", integer: interval_ms)
        json.set("rssi_dbm", integer: rssi_dbm.map(Int64.init))
        battery?.write(to: &json)
    }

    /// The beacon with wall times alone, as messages report it.
    fileprivate func dated(_ timebase: Timebase) -> HeardBeacon {
        var beacon = self
        beacon.firstHeard = firstHeard.dated(timebase)
        beacon.lastHeard = lastHeard.dated(timebase)
        beacon.battery?.at = battery?.at.dated(timebase) ?? .wall(.unixEpoch)
        return beacon
    }
}

extension HeardBeacon.Time {
    fileprivate func dated(_ timebase: Timebase) -> HeardBeacon.Time {
        if case .at(let instant) = self { .wall(timebase.wall(instant)) } else { self }
    }
}

extension HeardBeacon.Battery {
    private static let temperatures_c = -273.15...327.67

    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        var values = Telemetry(format: try fields.word("format"))
        values.battery_percent = try fields.integerIfPresent("battery_percent", 0...100)
        values.battery_mV = try fields.integerIfPresent("battery_mv", 1...UInt16.max)
        if fields.has("temperature_c") {
            let temperature_c = try fields.number("temperature_c", Self.temperatures_c)
            values.temperature_cC = Int16((temperature_c * 100).rounded())
        }
        self.init(values: values, at: .wall(try fields.time("telemetry_at")))
    }

    fileprivate func write(to json: inout JSONWriter) {
        if let battery_percent = values.battery_percent { json.set("battery_percent", battery_percent) }
        if let battery_mV = values.battery_mV { json.set("battery_mv", battery_mV) }
        if let temperature_cC = values.temperature_cC {
            json.set("temperature_c", Double(temperature_cC) / 100, decimals: 2)
        }
        json.set("telemetry_at", at)
        json.set("format", values.format)
    }
}

extension JSONWriter {
    fileprivate mutating func set(_ key: StaticString, _ time: HeardBeacon.Time) {
        // Times of this process have been dated.
        guard case .wall(let wall) = time else { return }
        set(key, wall)
    }
}

/// The list of beacons, in the order of their identities.
struct BeaconList: MessageContent {
    var beacons: [HeardBeacon]

    init(_ beacons: [HeardBeacon]) { self.beacons = beacons }

    /// No reader waits for the list.
    package var handling: OutputHandling { OutputHandling(shedding: .never, commit: .eventually) }

    /// Each page is stored, so that a later process goes on from it. A clock that is not set would make the stored times
    /// wrong. Then the pages of a set clock stay.
    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        var publication = Publication(
            pages(by: composer, at: context.instant, context.timebase).map { page in
                .retained(page, stored: context.timebase.isSynced ? page.payload : nil)
            })
        publication.pages = .beacons
        return publication
    }

    /// Returns the pages, at least one.
    func pages(by composer: MessageComposer, at instant: Instant, _ timebase: Timebase) -> [Message] {
        let pages = max(1, (beacons.count + BeaconsPayload.maxBeacons - 1) / BeaconsPayload.maxBeacons)
        return (0..<min(pages, Int(UInt16.max))).map { page in
            let listed = beacons.dropFirst(page * BeaconsPayload.maxBeacons).prefix(BeaconsPayload.maxBeacons)
            let payload = BeaconsPayload(
                head: composer.head(at: instant, timebase), page: page, pages: pages,
                beacons: listed.map { $0.dated(timebase) })
            let topic = composer.topics.topic(.page(.beacons, UInt16(clamping: page)))
            return composer.message(.beacons, on: topic, payload.encoded)
        }
    }
}
