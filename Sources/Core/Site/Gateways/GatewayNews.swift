/// What a gateway has published, read.
package struct GatewayNews: Sendable {
    package enum Content: Sendable {
        case status(StatusPayload)
        case event(EventPayload)
        case state(StatePayload)
        /// The state of that instance is cleared: the gateway monitors it no more.
        case cleared
        case ranging(RangingPayload)
    }

    /// Why a message is no news.
    package enum Refusal: Error, Hashable, Sendable {
        /// Another store's, the store's own, or of a kind that is not joined.
        case notJoined
        case malformed(PayloadError)
    }

    /// Its level in topics.
    package var gateway: String
    /// `nil` for what is about the gateway as a whole.
    package var instance: RegionInstanceID?
    var content: Content

    /// Reads a message.
    ///
    /// - Parameter store: the topics of the store's own messages.
    package init(topic: String, payload: [UInt8], store: TopicTree) throws(Refusal) {
        let fields: PayloadFields?
        do throws(PayloadError) {
            fields = payload.isEmpty ? nil : try PayloadFields(payload)
        } catch {
            throw .malformed(error)
        }
        try self.init(topic: topic, fields: fields, store: store)
    }

    /// - Parameter fields: of the payload; `nil` where the topic is cleared.
    package init(topic: String, fields: PayloadFields?, store: TopicTree) throws(Refusal) {
        guard let read = Topic(topic, prefix: store.prefix), read.gateway.site == store.site,
            read.gateway.gateway != store.gateway
        else { throw .notJoined }
        gateway = read.gateway.gateway
        instance = read.subject.instance
        guard instance?.zone == nil, Self.joined.contains(read.subject.kind) else { throw .notJoined }
        do throws(PayloadError) {
            content = try Self.read(read.subject.kind, fields)
            guard content.isAbout(instance) else { throw PayloadError("region", .mustBeOneOf("that of its topic")) }
        } catch {
            throw .malformed(error)
        }
    }

    private static func read(_ kind: MessageKind?, _ fields: PayloadFields?) throws(PayloadError) -> Content {
        // Of what is retained only a state says something by being cleared.
        guard let fields else { return .cleared }
        switch kind {
        case .status: return .status(try StatusPayload(fields))
        case .event: return .event(try EventPayload(fields))
        case .state: return .state(try StatePayload(fields))
        default: return .ranging(try RangingPayload(fields))
        }
    }

    /// The kinds of messages that a store is made of.
    private static let joined: Set<MessageKind?> = [.status, .state, .event, .ranging]

    /// What its payload begins with; `nil` where it has none.
    package var head: PayloadHead? {
        switch content {
        case .status(let payload): payload.head
        case .event(let payload): payload.head
        case .state(let payload): payload.head
        case .ranging(let payload): payload.head
        case .cleared: nil
        }
    }
}

extension GatewayNews.Content {
    /// Whether a message says the same of its region as its topic does. Else nobody could tell which of the two is meant.
    fileprivate func isAbout(_ instance: RegionInstanceID?) -> Bool {
        guard let instance else { return true }
        switch self {
        case .status, .cleared: return true
        case .state(let payload): return payload.instance.isWithin(instance)
        case .ranging(let payload): return payload.list.instance.isWithin(instance)
        case .event(let payload):
            guard payload.region == instance.region, payload.zone == nil else { return false }
            guard case .beacon(let identity, _) = payload.cause else { return true }
            let told = RegionInstanceID(
                region: payload.region, .minor(major: identity.major, minor: identity.minor))
            return told.isWithin(instance)
        }
    }
}

extension RegionInstanceID {
    /// Whether nothing that it says is unlike the other one. What either leaves out is not unlike.
    fileprivate func isWithin(_ other: RegionInstanceID) -> Bool {
        func agree(_ one: UInt16?, _ two: UInt16?) -> Bool { one == nil || two == nil || one == two }
        return region == other.region && zone == nil && agree(major, other.major) && agree(minor, other.minor)
    }
}

/// When a message came, and when that happened which it tells.
///
/// An event's own time counts. A clock that is not synced says nothing, and nothing happens after it is told: then the arrival
/// counts. What is older than `late_after_s` is late.
struct Arrival: Sendable {
    /// The wait of a state for the event that it names. A gateway that told old events has told all of them after so long without another.
    static let eventPatience = TimeSpan.seconds(2)
    /// A message that is older at its arrival has waited for a line.
    static let longestTransit = TimeSpan.milliseconds(500)

    /// When it came.
    package let now: Instant
    /// What its clock says; `now` where the clock says nothing.
    let told: Instant
    let isLate: Bool
    private let head: PayloadHead?
    private let isTrusted: Bool
    private let timebase: Timebase

    init(_ head: PayloadHead?, at now: Instant, _ timebase: Timebase, lateAfter: TimeSpan) {
        self.now = now
        self.head = head
        self.timebase = timebase
        isTrusted = timebase.isSynced && head?.isClockSynced == true
        told = head.map { timebase.instant($0.at) } ?? now
        isLate = isTrusted && now - told > lateAfter
    }

    /// When that happened which is told.
    var event: Instant { isTrusted ? min(told, now) : now }

    /// How long it was on its way, as far as the clocks say.
    var transit: TimeSpan { isTrusted ? max(now - told, .zero) : .zero }

    /// A time that the message names, on the store's clock; not after its arrival.
    package func instant(_ wall: WallTime) -> Instant {
        guard let head else { return now }
        return min(isTrusted ? timebase.instant(wall) : now - (head.at - wall), now)
    }
}
