/// `region/{id}/event`: a crossing, numbered.
package struct EventPayload: NumberedPayload, ReadablePayload, Hashable {
    /// The stay that an exit ends.
    struct Stay: Hashable, Sendable {
        var enteredAt: WallTime
        /// The last evidence of the inside; see `RegionKind.lastEvidence`.
        var lastHeardAt: WallTime
        /// The time between the two as they are published.
        var dwell_s: Double
        var beginning: RegionStay.Beginning
        var ending: RegionStay.Ending
        /// True if a store publishes the visit after a later one, without an entry.
        var isLate: Bool
    }

    package var head: PayloadHead
    /// `nil` in an event stored by a version that did not write it.
    package var origin: PayloadOrigin?
    package var epoch: String
    /// The number within the epoch, from 1.
    var seq: Int64
    /// The configured id of the region. The topic names the instance.
    var region: String
    /// The zone of the store; `nil` without one.
    var zone: String?
    var cause: RegionEvent.Cause
    /// The gateway's place; `nil` where it is not known or not published.
    package var location: EventLocation?
    /// The stay; `nil` in an entry.
    var exit: Stay?

    package var number: MessageNumber { MessageNumber(epoch: epoch, seq: seq) }

    private enum Kind: String, CaseIterable {
        case enter
        case exit
    }
}

extension EventPayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        let origin = fields.has("site") || fields.has("gateway") ? try PayloadOrigin(&fields) : nil
        let (epoch, seq) = (try fields.epoch(), try fields.number("seq"))
        let kind: Kind = try fields.word("type")
        let region = try fields.level("region")
        let zone = fields.has("zone") ? try fields.level("zone") : nil
        let cause = try RegionEvent.Cause(&fields)
        let location = try fields.objectIfPresent("location", EventLocation.init)
        self.init(
            head: head, origin: origin, epoch: epoch, seq: seq, region: region, zone: zone, cause: cause,
            location: location, exit: kind == .exit ? try Stay(&fields, of: cause.kind) : nil)
    }

    package func write(to json: inout JSONWriter) {
        origin?.write(to: &json)
        json.set(number)
        json.set("type", exit == nil ? Kind.enter : .exit)
        json.set("region", region)
        if let zone { json.set("zone", zone) }
        cause.write(to: &json)
        if let location { json.set("location") { json in location.write(to: &json) } }
        exit?.write(to: &json, of: cause.kind)
    }
}

extension EventLocation {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            coordinate: try fields.coordinate(),
            horizontalAccuracy_m: try fields.number("horizontal_accuracy_m", 0...1e12),
            age: .seconds(try fields.number("age_s", 0...Self.maxAge.seconds)))
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.set(coordinate)
        json.set(horizontalAccuracy_m: horizontalAccuracy_m)
        json.set("age_s", age.seconds, decimals: 3)
    }
}

extension EventPayload.Stay {
    fileprivate init(_ fields: inout PayloadFields, of kind: RegionKind) throws(PayloadError) {
        self.init(
            enteredAt: try fields.time("entered_at"), lastHeardAt: try fields.time(kind.lastEvidence),
            dwell_s: try fields.number("dwell_s", 0...1e12),
            beginning: try fields.flag("partial") ? .partial : .observed,
            ending: try fields.flag("unmonitored") ? .unmonitored : fields.flag("inferred") ? .inferred : .observed,
            isLate: try fields.flag("late"))
    }

    fileprivate func write(to json: inout JSONWriter, of kind: RegionKind) {
        json.set("entered_at", enteredAt)
        json.set(kind.lastEvidence, lastHeardAt)
        json.set("dwell_s", dwell_s, decimals: 3)
        if beginning == .partial { json.set("partial", true) }
        switch ending {
        case .observed: break
        case .inferred: json.set("inferred", true)
        case .unmonitored: json.set("unmonitored", true)
        }
        if isLate { json.set("late", true) }
    }

    fileprivate init(_ stay: RegionStay, _ timebase: Timebase) {
        self.init(
            enteredAt: timebase.wall(stay.enteredAt), lastHeardAt: timebase.wall(stay.lastHeardAt),
            dwell_s: Double(Timestamp.milliseconds(from: stay.enteredAt, to: stay.lastHeardAt, timebase)) / 1_000,
            beginning: stay.beginning, ending: stay.ending, isLate: stay.isLate)
    }
}

extension RegionStay {
    /// Returns the stay without times later than the exit that ends it.
    fileprivate func ending(by exit: Instant) -> RegionStay {
        var stay = self
        (stay.enteredAt, stay.lastHeardAt) = (min(enteredAt, exit), min(lastHeardAt, exit))
        return stay
    }
}

extension MessageComposer {
    func event(
        _ event: RegionEvent, of instance: RegionInstanceID, epoch: String, seq: Int64, at instant: Instant,
        _ timebase: Timebase
    ) -> NumberedMessage {
        var exit: EventPayload.Stay?
        if case .exit(let stay) = event.kind { exit = EventPayload.Stay(stay.ending(by: instant), timebase) }
        let payload = EventPayload(
            head: head(at: instant, timebase),
            origin: PayloadOrigin(site: topics.site, gateway: event.gateway ?? topics.gateway), epoch: epoch, seq: seq,
            region: instance.region, zone: instance.zone, cause: includesPlace ? event.cause : event.cause.withoutPlace,
            location: includesPlace ? event.location : nil, exit: exit)
        return NumberedMessage(payload, topic: topics.event(instance))
    }
}

/// `region/{id}/state`: whether the region is inside, and since when.
package struct StatePayload: ReadablePayload, Hashable {
    package var head: PayloadHead
    /// The epoch of `eventSeq`. A state with another epoch than `status` is out of date.
    package var epoch: String
    package var instance: RegionInstanceID
    var detail: RegionDetail
    var state: RegionState
    var since: WallTime
    /// The last event of the instance in that epoch; 0 before the first, or where it is not known any more.
    var eventSeq: Int64
}

extension StatePayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, epoch: try fields.epoch(), instance: try fields.instance(),
            detail: try RegionDetail(&fields), state: try fields.word("state"),
            since: try fields.time("since"), eventSeq: try fields.integer("event_seq"))
    }

    package func write(to json: inout JSONWriter) {
        json.set("epoch", epoch)
        json.set(instance)
        detail.write(to: &json)
        json.set("state", state)
        json.set("since", since)
        json.set("event_seq", eventSeq)
    }
}

/// A region's state as announced to subscribers.
struct PublishedState: Hashable, Sendable {
    var state: RegionState
    /// The time from which the region is in this state.
    var since: Instant
    /// The time of the change.
    var at: Instant
    var detail: RegionDetail

    /// - Parameter since: a time later than `at` becomes `at`: no state begins in the future.
    init(_ state: RegionState, since: Instant, at: Instant, detail: RegionDetail = .beacon) {
        self.state = state
        self.since = min(since, at)
        self.at = at
        self.detail = detail
    }
}

extension MessageComposer {
    /// - Parameter eventSeq: the last event of the instance in `epoch`; 0 before the first, or where it is not known any
    ///   more.
    func state(
        _ published: PublishedState, of instance: RegionInstanceID, epoch: String, eventSeq: Int64, _ timebase: Timebase
    ) -> Message {
        let payload = StatePayload(
            head: head(at: published.at, timebase), epoch: epoch, instance: instance,
            detail: includesPlace ? published.detail : published.detail.withoutPlace, state: published.state,
            since: timebase.wall(published.since), eventSeq: eventSeq)
        return message(.state, on: topics.state(instance), payload.encoded)
    }

    /// Returns the message that clears the retained state of an instance that is not monitored any more.
    package func clearedState(_ instance: RegionInstanceID) -> Message { cleared(topics.state(instance)) }

    package func cleared(_ topic: String) -> Message { Message(topic: topic, payload: [], .retained) }
}
