public import Configuration
public import HCI

/// Whether the broker can be reached and lets us in: for `beacond check`.
public enum BrokerCheck {
    public enum Outcome: Hashable, Sendable {
        /// The broker accepted the login.
        case reachable(BrokerLimits)
        case failed(ConnectionFailure)

        /// What the operator can do, on one line; `nil` where nothing needs doing.
        public var remedy: String? {
            switch self {
            case .failed(let failure): failure.remedy
            case .reachable(let broker) where !broker.isQoS1Available: "the broker must take QoS 1"
            case .reachable(let broker) where !broker.isRetainAvailable: "allow retained messages in the broker"
            case .reachable: nil
            }
        }
    }

    /// Connects, waits for the CONNACK and disconnects, within `timeout`.
    ///
    /// - Parameter clientID: must not be the daemon's own, whose connection the broker would end.
    public static func run(settings: MQTTSettings, clientID: String, timeout: TimeSpan = .seconds(5)) -> Outcome {
        let link = BrokerLink(settings: settings, clientID: clientID)
        let deadline = BootClock.now + timeout
        do throws(ConnectionFailure) {
            try link.connect(will: nil)
        } catch {
            return .failed(error)
        }
        while BootClock.now < deadline {
            for event in link.wait(timeout_ms: 100, wake: -1) {
                switch event {
                case .connected(let broker):
                    // What of the DISCONNECT can't be written at once doesn't matter: there is no will.
                    link.client?.disconnect()
                    return .reachable(broker)
                case .lost(let failure): return .failed(failure)
                case .heard, .acknowledged, .subscribed, .received: break
                }
            }
        }
        return .failed(.connectTimedOut(host: settings.host, port: settings.port))
    }
}
