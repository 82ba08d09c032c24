import Core

/// The connection of `beacond site walk`: it receives the messages of the store's gateways, and publishes the zone map.
package final class WalkConnection {
    package enum Problem: Error, Sendable {
        case notConnected(ConnectionFailure)
        case subscriptionRefused(filter: String, ReasonCode)
        case publishRefused(ReasonCode)
        /// The broker did not acknowledge the message in time.
        case unacknowledged
    }

    /// The time of the broker's answers at the start.
    private static let answerLimit = TimeSpan.seconds(5)
    /// The time in which the broker delivers retained messages after its answer to a subscription.
    private static let retainedDelay = TimeSpan.milliseconds(500)
    /// The time in which a message is published, with a new connection where the former one is lost.
    private static let publishLimit = TimeSpan.seconds(60)

    private let settings: BrokerSettings
    private let filters: [String]
    private var link: LastingLink

    /// - Parameter clientID: must not be the daemon's own, whose connection the broker would end.
    package init(settings: BrokerSettings, clientID: String, filters: [String], limits: IncomingLimits) {
        (self.settings, self.filters) = (settings, filters)
        link = LastingLink(
            BrokerLink(settings: settings, clientID: clientID, limits: limits), filters: filters,
            pauses: .seconds(2) ... .seconds(10))
    }

    /// Connects, and subscribes. Returns the messages until then, with those that the broker retains. A broker that does not answer the
    /// subscriptions within 5 s is no error.
    package func open() throws(Problem) -> [IncomingMessage] {
        var deadline = BootClock.now + Self.answerLimit
        var unanswered = filters.count
        var messages: [IncomingMessage] = []
        while !link.isConnected || unanswered > 0 {
            guard BootClock.now < deadline else {
                guard !link.isConnected else { return messages }
                throw .notConnected(.connectTimedOut(host: settings.host, port: settings.port))
            }
            for event in link.wait(timeout_ms: 100) {
                switch event {
                case .subscribed(let filter, let reasons):
                    if let reason = reasons.first(where: { !$0.isSuccess }) {
                        throw .subscriptionRefused(filter: filter, reason)
                    }
                    unanswered -= 1
                case .received(let message): messages.append(message)
                case .lost(let failure): throw .notConnected(failure)
                case .heard, .connected, .acknowledged, .certificateChanged, .certificateRefused: break
                }
            }
        }
        deadline = BootClock.now + Self.retainedDelay
        while BootClock.now < deadline { messages += wait(timeout_ms: 100, wake: -1) }
        return messages
    }

    /// Waits for messages, or for `wake` to become readable. A connection that is lost is made anew: the walk goes on.
    package func wait(timeout_ms: Int32, wake: Int32) -> [IncomingMessage] {
        link.wait(timeout_ms: timeout_ms, wake: wake).compactMap { event in
            if case .received(let message) = event { message } else { nil }
        }
    }

    /// Publishes a message, and waits until the broker has acknowledged it. A broker that is away for less than a minute gets the message once it
    /// is back.
    package func publish(_ message: Message) throws(Problem) {
        let deadline = BootClock.now + Self.publishLimit
        var mid: UInt16?
        while BootClock.now < deadline {
            if link.isConnected, mid == nil {
                do throws(PublishFailure) {
                    mid = try link.publish(message)
                } catch {
                    if case .refused(let reason) = error { throw .publishRefused(reason) }
                }
            }
            for event in link.wait(timeout_ms: 100) {
                switch event {
                case .acknowledged(let acknowledged, let reason) where acknowledged == mid:
                    guard reason.isSuccess else { throw .publishRefused(reason) }
                    return
                case .lost: mid = nil
                case .heard, .connected, .acknowledged, .subscribed, .received, .certificateChanged,
                    .certificateRefused:
                    break
                }
            }
        }
        throw .unacknowledged
    }

    package func close() { link.end() }
}
