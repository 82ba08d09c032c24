@testable import Core

/// A count of the beacons that are certainly there, for a comparison with the agent's count.
struct Census {
    private struct Presence {
        /// The time since which it has been heard without a break.
        var since: Instant
        var lastHeard: Instant
    }

    private let settings: Settings
    private let isPlain: Bool
    private var presences: [BeaconIdentity: Presence] = [:]
    /// The time since which the agent can have heard everything that was sent.
    private var hearsSince: Instant?
    private(set) var comparisons = 0

    /// Longer than any beacon of the shop is silent by itself, loss included.
    private static let longestGap = TimeSpan.seconds(4)
    /// The time after which a beacon is certainly there, and after which a beacon that went has left no trace.
    private static let settled = TimeSpan.seconds(20)
    private static let forgotten = TimeSpan.seconds(60)

    init(_ scenario: Scenario) {
        settings = scenario.settings
        isPlain = scenario.shop.isPlain && scenario.settings.gateway.tracker.maxTransmitters > 1_000
    }

    mutating func hears(_ isHearing: Bool, at now: Instant) {
        if !isHearing {
            hearsSince = nil
        } else if hearsSince == nil {
            hearsSince = now
        }
    }

    mutating func heard(_ identity: BeaconIdentity, at now: Instant) {
        if let presence = presences[identity], now - presence.lastHeard <= Self.longestGap {
            presences[identity]?.lastHeard = now
        } else {
            presences[identity] = Presence(since: now, lastHeard: now)
        }
    }

    /// Compares a list with the truth, where the truth is certain.
    mutating func check(_ report: RangingReport, at now: Instant) throws(Violation) {
        guard isPlain, let hearsSince, now - hearsSince > Self.forgotten else { return }
        var count = 0
        for (identity, presence) in presences
        where settings.gateway.regions.instances(of: identity).contains(report.instance) {
            if now - presence.lastHeard > Self.forgotten { continue }
            let isThere =
                now - presence.lastHeard <= Self.longestGap && now - max(presence.since, hearsSince) > Self.settled
            guard isThere else { return }
            count += 1
        }
        comparisons += 1
        if count != report.count {
            throw Violation(
                invariant: .counts,
                detail:
                    "\(report.instance.region) \(report.instance.major ?? 0) counts \(report.count), there are \(count)"
            )
        }
    }
}
