/// `location`: the gateway's last published location.
struct LocationPayload: Payload, Hashable {
    package var head: PayloadHead
    var service: LocationSettings.Service
    var fix: Fix
    /// The age of the fix when it was published. Seconds.
    var age_s: Double
    /// gpsd's name of the receiver, such as `/dev/ttyUSB0`; `nil` where the fix does not come from gpsd.
    var device: String?
}

extension LocationPayload {
    func write(to json: inout JSONWriter) {
        json.set("service", service)
        json.set("fix") { json in fix.write(to: &json) }
        json.set("age_s", age_s, decimals: 3)
        if let device { json.set("device", device) }
    }
}

/// `location/track`: the gateway's deferred fixes, numbered.
typealias TrackPayload = NumberedEnvelope<TrackBatch>

extension TrackBatch: ReadableContent {
    static let series = NumberSeries.batches

    init(_ fields: inout PayloadFields) throws(PayloadError) {
        let finished: Finish = try fields.word("finished")
        self.init(fixes: try fields.list("fixes", Fix.init), finished: finished)
        if fixes.isEmpty { throw PayloadError("fixes", .mustBeOneOf("one fix at least")) }
    }

    func write(to json: inout JSONWriter) {
        json.set("finished", finished)
        json.set("fixes", objectsFor: fixes) { fix, json in fix.write(to: &json) }
    }
}

/// The fields of a fix, in every message and record that has one.
extension Fix {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        let degrees = 0...360.0
        self.init(
            at: try fields.time("at"), coordinate: try fields.coordinate(),
            horizontalAccuracy_m: try fields.number("horizontal_accuracy_m", 0...1e12),
            altitude_m: try fields.numberIfPresent("altitude_m", -1e12...1e12),
            speed_m_s: try fields.numberIfPresent("speed_m_s", 0...1e12),
            course_deg: try fields.numberIfPresent("course_deg", degrees),
            heading_deg: try fields.numberIfPresent("heading_deg", degrees))
    }

    func write(to json: inout JSONWriter) {
        json.set("at", at)
        json.set(coordinate)
        json.set(horizontalAccuracy_m: horizontalAccuracy_m)
        if let altitude_m { json.set("altitude_m", altitude_m, decimals: 1) }
        if let speed_m_s { json.set("speed_m_s", speed_m_s, decimals: 2) }
        if let course_deg { json.set("course_deg", direction_deg: course_deg) }
        if let heading_deg { json.set("heading_deg", direction_deg: heading_deg) }
    }
}

/// An update of the gateway's location by a location service, or a configured one.
struct GatewayLocation: MessageContent {
    var placed: PlacedFix
    var service: LocationSettings.Service

    /// A full queue drops it: a newer location follows.
    package var handling: OutputHandling { .ofPresent }

    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        guard composer.includesPlace else { return Publication([]) }
        let message = composer.location(placed, service: service, at: context.instant, context.timebase)
        return Publication([.retained(message)])
    }
}

/// The record of a deferred fix until its batch is published. Where no location is published, it is not stored either.
extension KeptFix: MessageContent {
    /// A full queue drops it: the batch in memory has the fix.
    package var handling: OutputHandling {
        OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .soon)
    }

    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        var publication = Publication([])
        if composer.includesPlace { publication.records = [(StoredFix.key(fix, number), StoredFix.encoded(fix))] }
        return publication
    }
}

extension TrackBatch: MessageContent {
    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        guard composer.includesPlace else { return Publication([]) }
        var publication = composer.publication(of: self, .track, context)
        publication.removedPrefix = RecordPrefix.fix.rawValue
        return publication
    }
}

extension MessageComposer {
    package func location(
        _ placed: PlacedFix, service: LocationSettings.Service, at now: Instant, _ timebase: Timebase
    ) -> Message {
        let payload = LocationPayload(
            head: head(at: now, timebase), service: service, fix: dated(placed, at: now, timebase),
            age_s: placed.age(at: now).seconds, device: placed.device)
        return message(.location, on: topics.topic(.gateway(.location)), payload.encoded)
    }

    /// Returns the fix with a time. A configured location has no time of its own, so it gets the present one.
    func dated(_ placed: PlacedFix, at now: Instant, _ timebase: Timebase) -> Fix {
        var fix = placed.fix
        if placed.origin == .configuration { fix.at = timebase.wall(now) }
        return fix
    }
}
