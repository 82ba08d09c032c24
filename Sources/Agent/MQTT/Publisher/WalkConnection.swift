import Core

/// The connection of `beacond site walk`: it hears the store's gateways, and publishes the zone map.
///
/// A connection that is lost is made anew: the walk goes on.
package final class WalkConnection {
    package enum Problem: Error, Sendable {
        case notConnected(ConnectionFailure)
        /// The broker accepted the login, but refused the subscription.
        case unreadable(filter: String, ReasonCode)
        /// The broker does not let this client publish; `nil` where it did not answer.
        case unpublished(ReasonCode?)
    }

    private static let patience = TimeSpan.seconds(5)
    private static let pause = TimeSpan.seconds(2)
    /// The time in which the broker delivers retained messages behind its answer to a subscription.
    private static let retained = TimeSpan.milliseconds(500)

    private let settings: BrokerSettings
    private let link: BrokerLink
    private let filters: [String]
    private var retryAt: BootInstant?

    /// - Parameter clientID: must not be the daemon's own, whose connection the broker would end.
    package init(settings: BrokerSettings, clientID: String, filters: [String], limits: IncomingLimits) {
        link = BrokerLink(settings: settings, clientID: clientID, limits: limits)
        (self.settings, self.filters) = (settings, filters)
    }

    /// Connects, and subscribes. Returns the messages until then, with those that the broker retains.
    package func open() throws(Problem) -> [IncomingMessage] {
        try connect()
        let deadline = BootClock.now + Self.patience
        var (isConnected, unanswered) = (false, filters.count)
        var messages: [IncomingMessage] = []
        while !isConnected || unanswered > 0 {
            guard BootClock.now < deadline else {
                guard !isConnected else { return messages }
                throw .notConnected(.connectTimedOut(host: settings.host, port: settings.port))
            }
            for event in link.wait(timeout_ms: 100, wake: -1) {
                switch event {
                case .connected:
                    isConnected = true
                    for filter in filters { link.subscribe(filter) }
                case .subscribed(let filter, let reasons):
                    if let reason = reasons.first(where: { !$0.isSuccess }) {
                        throw .unreadable(filter: filter, reason)
                    }
                    unanswered -= 1
                case .received(let message): messages.append(message)
                case .lost(let failure): throw .notConnected(failure)
                case .heard, .acknowledged, .certificateChanged, .certificateRefused: break
                }
            }
        }
        let listing = BootClock.now + Self.retained
        while BootClock.now < listing { messages += wait(timeout_ms: 100, wake: -1) }
        return messages
    }

    private func connect() throws(Problem) {
        do throws(ConnectionFailure) {
            try link.connect(will: nil)
        } catch {
            throw .notConnected(error)
        }
    }

    /// Waits for messages, or for `wake` to become readable.
    package func wait(timeout_ms: Int32, wake: Int32) -> [IncomingMessage] {
        if let retryAt, BootClock.now >= retryAt {
            self.retryAt = nil
            do throws(Problem) { try connect() } catch { self.retryAt = BootClock.now + Self.pause }
        }
        return link.wait(timeout_ms: timeout_ms, wake: wake).compactMap { event in
            switch event {
            case .connected: for filter in filters { link.subscribe(filter) }
            case .lost: retryAt = BootClock.now + Self.pause
            case .received(let message): return message
            case .subscribed, .heard, .acknowledged, .certificateChanged, .certificateRefused: break
            }
            return nil
        }
    }

    /// Publishes a message, and waits until the broker has it.
    package func publish(_ message: Message) throws(Problem) {
        let mid: UInt16
        do throws(PublishFailure) {
            mid = try link.publish(message)
        } catch {
            if case .refused(let reason) = error { throw .unpublished(reason) }
            throw .unpublished(nil)
        }
        let deadline = BootClock.now + Self.patience
        while BootClock.now < deadline {
            for event in link.wait(timeout_ms: 100, wake: -1) {
                switch event {
                case .acknowledged(let acknowledged, let reason) where acknowledged == mid:
                    guard reason.isSuccess else { throw .unpublished(reason) }
                    return
                case .lost(let failure): throw .notConnected(failure)
                default: break
                }
            }
        }
        throw .unpublished(nil)
    }

    package func close() { link.disconnect() }
}
