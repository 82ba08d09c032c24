@testable import Agent
@testable import Core

/// The gateways' messages about the store's regions, as far as the store's process has taken them.
struct GatewayClaims {
    /// A gateway's last message about a region instance.
    private struct Claim {
        /// The time since which the gateway has it inside, as the store knows; `nil` where it does not.
        var thereSince: Instant?
        /// Whether the gateway had it inside before the store's process began.
        var wasThere = false
        /// The time at which the gateway published that no beacon is inside any more; `nil` while it publishes otherwise.
        var leftAt: Instant?
        /// The time at which the gateway published that it does not know.
        var unknownSince: Instant?
        var epoch = ""
        var seq: Int64 = 0

        mutating func left(at now: Instant) { (thereSince, wasThere, leftAt, unknownSince) = (nil, false, now, nil) }

        mutating func isThere(at now: Instant) { (thereSince, leftAt, unknownSince) = (thereSince ?? now, nil, nil) }

        /// Whether the store has to count it now: for a while already, or all the time, as it has just learned.
        func counts(at now: Instant) -> Bool {
            guard let thereSince else { return false }
            return now - thereSince > GatewayClaims.patience || (wasThere && now - thereSince < .seconds(0.5))
        }
    }

    /// The longest time from a decision to its commit; a state waits for its event for 2 s.
    static let patience = TimeSpan.seconds(5)

    private let lateAfter: TimeSpan
    /// Messages taken in the present round.
    private var taken: [IncomingMessage] = []
    private var claims: [RegionInstanceID: [String: Claim]] = [:]
    /// The gateways that can't hear, and the time since which the store knows.
    private var deafSince: [String: Instant] = [:]
    /// The gateways whose connection is down, or that are stopped.
    private var away: Set<String> = []
    private var beganAt = Instant.origin
    private(set) var lateCount = 0

    init(lateAfter: TimeSpan) { self.lateAfter = lateAfter }

    /// The store's process has begun, and has received nothing.
    mutating func lifeBegan(at now: Instant) { (claims, deafSince, away, taken, beganAt) = ([:], [:], [], [], now) }

    mutating func hears(_ message: IncomingMessage) { taken.append(message) }

    /// A round of its delivery loop has ended: the messages taken in it count from now on.
    ///
    /// - Parameter rightClocks: the gateways whose clock was never wrong, by id.
    mutating func take(rightClocks: [String: Int], at now: Instant) {
        for message in taken { take(message, rightClocks, at: now) }
        taken = []
    }

    /// The gateways that have each region instance inside.
    func holders(at now: Instant) -> [RegionInstanceID: [String]] {
        claims.mapValues { claims in
            claims.filter { $0.value.counts(at: now) && !isOutlived($0.key, claims) }.keys.sorted()
        }
    }

    /// The claim of a gateway that can't hear proves nothing once another gateway saw the beacon leave later, unless
    /// only the first one can know.
    private func isOutlived(_ gateway: String, _ claims: [String: Claim]) -> Bool {
        if away.contains(gateway), claims[gateway]?.unknownSince == nil { return false }
        guard let since = [deafSince[gateway], claims[gateway]?.unknownSince].compactMap({ $0 }).min() else {
            return false
        }
        return claims.contains { $0.key != gateway && ($0.value.leftAt ?? .origin) > since }
    }

    private mutating func take(_ message: IncomingMessage, _ rightClocks: [String: Int], at now: Instant) {
        guard case .bytes(let octets) = message.payload, let topic = Topic(message.topic, prefix: "beacons"),
            topic.gateway.gateway != SiteSettings.gatewayID
        else { return }
        let gateway = topic.gateway.gateway
        if topic.subject.kind == .status, let status = try? StatusPayload(decoding: octets) {
            deafSince[gateway] = status.isOnline && status.radio.hears ? nil : deafSince[gateway] ?? now
            if status.isOnline { away.remove(gateway) } else { away.insert(gateway) }
        }
        guard let instance = topic.subject.instance else { return }
        if octets.isEmpty {
            claims[instance]?[gateway] = nil
            return
        }
        let hasRightClock = rightClocks[gateway] != nil
        var word = claims[instance]?[gateway] ?? Claim()
        if let event = try? EventPayload(decoding: octets), topic.subject.kind == .event {
            record(event, &word, at: now)
        } else if let state = try? StatePayload(decoding: octets), topic.subject.kind == .state {
            if word.epoch != state.epoch { (word.epoch, word.seq) = (state.epoch, 0) }
            switch state.state {
            case .inside:
                word.isThere(at: now)
                word.wasThere = word.wasThere || (hasRightClock && state.since < SimulatedMachine.wall(beganAt))
            case .outside: word.left(at: now)
            case .unknown: word.unknownSince = word.unknownSince ?? now
            }
        }
        claims[instance, default: [:]][gateway] = word
    }

    /// A late entry says nothing about the present. An exit has the present, or a later state will correct it.
    private mutating func record(_ event: EventPayload, _ word: inout Claim, at now: Instant) {
        if word.epoch == event.epoch, event.seq <= word.seq { return }
        (word.epoch, word.seq) = (event.epoch, event.seq)
        let isLate = event.head.isClockSynced && SimulatedMachine.wall(now) - event.head.at > lateAfter
        if isLate { lateCount += 1 }
        if event.exit != nil {
            word.left(at: now)
        } else if !isLate {
            word.isThere(at: now)
        }
    }
}

extension RegionInstanceID {
    /// As in topics: `cart/1/2/zone/door`.
    var name: String {
        let numbers = [major, minor].compactMap { $0.map(String.init) }
        return ([region] + numbers + (zone.map { ["zone", $0] } ?? [])).joined(separator: "/")
    }
}
