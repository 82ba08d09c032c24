package struct GatewayMessage: Sendable {
    package enum Content: Sendable {
        case status(StatusPayload)
        case event(EventPayload)
        case state(StatePayload)
        /// The state of that instance is cleared: the gateway does not monitor it any more.
        case cleared
        case ranging(RangingPayload)
        /// A page of the list of beacons. Only a store that learns reads it.
        case beacons(BeaconsPayload)
    }

    /// The reason for which a message is not received.
    package enum Refusal: Error, Hashable, Sendable {
        /// The message belongs to another store, or to the store itself, or its kind is not joined.
        case notJoined
        case malformed(PayloadError)
    }

    /// The gateway's id, its topic level.
    package var gateway: String
    /// The instance; `nil` for a message about the gateway as a whole.
    package var instance: RegionInstanceID?
    var content: Content

    /// Parses a message.
    ///
    /// - Parameters:
    ///   - store: the topics of the store's own messages.
    ///   - learns: whether the lists of beacons are read.
    package init(topic: String, payload: [UInt8], store: TopicTree, learns: Bool = false) throws(Refusal) {
        let fields: PayloadFields?
        do throws(PayloadError) {
            fields = payload.isEmpty ? nil : try PayloadFields(payload)
        } catch {
            throw .malformed(error)
        }
        try self.init(topic: topic, fields: fields, store: store, learns: learns)
    }

    /// - Parameter fields: the fields of the payload; `nil` where the topic is cleared.
    package init(topic: String, fields: PayloadFields?, store: TopicTree, learns: Bool = false) throws(Refusal) {
        guard let read = Topic(topic, prefix: store.prefix), read.gateway.site == store.site,
            read.gateway.gateway != store.gateway
        else { throw .notJoined }
        gateway = read.gateway.gateway
        instance = read.subject.instance
        guard instance?.zone == nil,
            Self.joined.contains(read.subject.kind) || (learns && read.subject.kind == .beacons && fields != nil)
        else { throw .notJoined }
        do throws(PayloadError) {
            content = try Self.read(read.subject.kind, fields)
            guard content.isAbout(instance) else { throw PayloadError("region", .mustBeOneOf("that of its topic")) }
        } catch {
            throw .malformed(error)
        }
    }

    private static func read(_ kind: MessageKind?, _ fields: PayloadFields?) throws(PayloadError) -> Content {
        // Among retained messages, only a cleared state has a meaning.
        guard let fields else { return .cleared }
        switch kind {
        case .status: return .status(try StatusPayload(fields))
        case .event: return .event(try EventPayload(fields))
        case .state: return .state(try StatePayload(fields))
        case .beacons: return .beacons(try BeaconsPayload(fields))
        default: return .ranging(try RangingPayload(fields))
        }
    }

    /// The kinds of messages that a store joins.
    private static let joined: Set<MessageKind?> = [.status, .state, .event, .ranging]

    /// The gateway's epoch at the time of the message; `nil` where it names none. A will is of an earlier time.
    var epoch: String? {
        switch content {
        case .status(let payload): payload.isOnline ? payload.epoch : nil
        case .event(let payload): payload.epoch
        case .state(let payload): payload.epoch
        case .cleared, .ranging, .beacons: nil
        }
    }

    /// The beginning of its payload; `nil` where it has none.
    package var head: PayloadHead? {
        switch content {
        case .status(let payload): payload.head
        case .event(let payload): payload.head
        case .state(let payload): payload.head
        case .ranging(let payload): payload.head
        case .beacons(let payload): payload.head
        case .cleared: nil
        }
    }
}

extension GatewayMessage.Content {
    /// Returns whether a message and its topic agree on the region. Otherwise it would be unclear which of the two is
    /// right.
    fileprivate func isAbout(_ instance: RegionInstanceID?) -> Bool {
        guard let instance else { return true }
        switch self {
        case .status, .cleared, .beacons: return true
        case .state(let payload): return payload.instance.isWithin(instance)
        case .ranging(let payload):
            return payload.list.instance.isWithin(instance)
                && payload.list.beacons.allSatisfy { instance.contains($0.identity) }
        case .event(let payload):
            guard payload.region == instance.region, payload.zone == nil else { return false }
            guard case .beacon(let identity, _) = payload.cause else { return true }
            return instance.contains(identity)
        }
    }
}

extension RegionInstanceID {
    /// Returns whether it agrees with the other one. A number that either leaves out does not differ.
    fileprivate func isWithin(_ other: RegionInstanceID) -> Bool {
        func agree(_ one: UInt16?, _ two: UInt16?) -> Bool { one == nil || two == nil || one == two }
        return region == other.region && zone == nil && agree(major, other.major) && agree(minor, other.minor)
    }

    fileprivate func contains(_ identity: BeaconIdentity) -> Bool {
        RegionInstanceID(region: region, .minor(major: identity.major, minor: identity.minor)).isWithin(self)
    }
}

/// A gateway's event, with its region and beacon.
struct ArrivedEvent: Sendable {
    var payload: EventPayload
    var instance: RegionInstanceID
    var identity: BeaconIdentity
    var observation: BeaconObservation
    var gateway: GatewayIndex
}

/// The arrival of a message, and the time of its event.
///
/// The event's own time counts. The arrival counts instead where the clock is not synced, or the event would be later
/// than its message. A message older than `late_after_s` is late.
struct Arrival: Sendable {
    /// The time for which a state waits for the event that it names. A gateway that reports old events has reported all of
    /// them after that time without another.
    static let eventPatience = TimeSpan.seconds(2)
    /// The longest ordinary transit. An older message has waited for a connection.
    static let longestTransit = TimeSpan.milliseconds(500)

    /// The time of arrival.
    package let now: Instant
    /// The time by the gateway's clock; `now` where the clock is not synced.
    let stated: Instant
    let isLate: Bool
    private let head: PayloadHead?
    /// True if the gateway's clock and the store's are synced, so that `stated` shows the message's age.
    let isTrusted: Bool
    private let timebase: Timebase

    init(_ head: PayloadHead?, at now: Instant, _ timebase: Timebase, lateAfter: TimeSpan) {
        self.now = now
        self.head = head
        self.timebase = timebase
        isTrusted = timebase.isSynced && head?.isClockSynced == true
        stated = head.map { timebase.instant($0.at) } ?? now
        isLate = isTrusted && now - stated > lateAfter
    }

    /// The time of the event.
    var event: Instant { isTrusted ? min(stated, now) : now }

    /// The time on the way, as far as the clocks show it.
    var transit: TimeSpan { isTrusted ? max(now - stated, .zero) : .zero }

    /// Returns a time in the message, on the store's clock; not after its arrival.
    func instant(_ wall: WallTime) -> Instant {
        guard let head else { return now }
        return min(isTrusted ? timebase.instant(wall) : now - (head.at - wall), now)
    }
}
