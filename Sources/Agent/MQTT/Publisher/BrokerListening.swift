import Core

/// Listens to a broker for a while without publishing: for `beacond check` and `beacond site check`.
package enum BrokerListening {
    package enum Outcome: Sendable {
        /// The messages, in order, with their arrival.
        case heard([(message: IncomingMessage, at: Instant)])
        case failed(ConnectionFailure)
        /// The broker accepted the login, but refused the subscription.
        case refused(filter: String, ReasonCode)
    }

    /// Connects, subscribes, collects messages for `span`, and disconnects.
    ///
    /// - Parameters:
    ///   - clientID: must not be the daemon's own, whose connection the broker would end.
    ///   - limits: the limits of what the broker may deliver; beyond `messages` no more is kept.
    ///   - live: true if only what the broker has kept shall have the retain flag. Then `filters` is one filter.
    ///   - longer: the time to listen at most, and whether what was heard needs more than `span`.
    package static func run(
        settings: BrokerSettings, clientID: String, filters: [String], limits: IncomingLimits, live: Bool = false,
        for span: TimeSpan, longer: (most: TimeSpan, needs: ([(message: IncomingMessage, at: Instant)]) -> Bool)? = nil
    ) -> Outcome {
        let link = BrokerLink(
            settings: settings, clientID: clientID, limits: limits, liveFilter: live ? filters.first : nil)
        do throws(ConnectionFailure) {
            try link.connect(will: nil)
        } catch {
            return .failed(error)
        }
        // The login has as much time as in `check`.
        var deadline = BootClock.now + .seconds(5)
        var isConnected = false
        var heard: [(message: IncomingMessage, at: Instant)] = []
        var last: BootInstant?
        while BootClock.now < deadline || last.map({ BootClock.now < $0 && longer?.needs(heard) == true }) ?? false {
            for event in link.wait(timeout_ms: 100, wake: -1) {
                switch event {
                case .connected:
                    isConnected = true
                    deadline = BootClock.now + span
                    last = longer.map { BootClock.now + $0.most }
                    for filter in filters { link.subscribe(filter) }
                case .subscribed(let filter, let reasons):
                    if let reason = reasons.first(where: { !$0.isSuccess }) { return .refused(filter: filter, reason) }
                case .received(let message):
                    if heard.count < limits.messages { heard.append((message, SystemClock.now)) }
                case .lost(let failure): return .failed(failure)
                case .heard, .acknowledged, .certificateChanged, .certificateRefused: break
                }
            }
        }
        guard isConnected else { return .failed(.connectTimedOut(host: settings.host, port: settings.port)) }
        link.client?.disconnect()
        return .heard(heard)
    }
}
