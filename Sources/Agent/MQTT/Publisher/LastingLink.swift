import Core

/// A link to a broker that subscribes, and connects again after each loss.
struct LastingLink {
    private enum State {
        case pausing(until: BootInstant)
        case connecting(until: BootInstant)
        case connected(since: BootInstant)
    }

    /// A connection that lasted this long was a good one, and resets the pause.
    private static let goodConnection = TimeSpan.seconds(10)
    private static let loginLimit = TimeSpan.seconds(30)

    private let link: BrokerLink
    private let filters: [String]
    private var state = State.pausing(until: .origin)
    private var pause: DoublingPause
    private var failure: ConnectionFailure?
    /// True if the connection that was lost last was a good one.
    private(set) var wasGood = false

    /// - Parameter pauses: the first pause after a loss, and the longest.
    init(_ link: BrokerLink, filters: [String], pauses: ClosedRange<TimeSpan>) {
        (self.link, self.filters) = (link, filters)
        pause = DoublingPause(pauses)
    }

    var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    /// Connects where that is due, waits for the network or for `wake` to become readable, and returns the events. An attempt that fails is
    /// `.lost`, as a connection is.
    mutating func wait(timeout_ms: Int32, wake: Int32 = -1) -> [ClientEvent] {
        let failed = advance().map { [ClientEvent.lost($0)] } ?? []
        let events = failed + link.wait(timeout_ms: failed.isEmpty ? timeout_ms : 0, wake: wake)
        for event in events {
            switch event {
            case .connected:
                state = .connected(since: link.now)
                for filter in filters { link.subscribe(filter) }
            case .lost(let failure): lose(failure)
            case .heard, .acknowledged, .subscribed, .received, .certificateChanged, .certificateRefused: break
            }
        }
        return events
    }

    func publish(_ message: Message) throws(PublishFailure) -> UInt16 { try link.publish(message) }

    /// Sends DISCONNECT, and closes.
    func end() {
        link.disconnect()
        _ = link.wait(timeout_ms: 100, wake: -1)
    }

    private mutating func advance() -> ConnectionFailure? {
        switch state {
        case .pausing(let until) where link.now >= until:
            state = .connecting(until: link.now + Self.loginLimit)
            do throws(ConnectionFailure) {
                try link.connect(will: nil, after: failure)
            } catch {
                return error
            }
        case .connecting(let until) where link.now >= until: return .acknowledgementOverdue
        case .pausing, .connecting, .connected: break
        }
        return nil
    }

    private mutating func lose(_ failure: ConnectionFailure) {
        wasGood = false
        if case .connected(let since) = state, link.now - since >= Self.goodConnection {
            wasGood = true
            pause.reset()
        }
        self.failure = failure
        link.drop()
        state = .pausing(until: link.now + pause.next())
    }
}
