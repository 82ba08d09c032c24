import Core

/// Checks, for `beacond check`, that the broker answers, accepts the login and takes the agent's messages.
package enum BrokerCheck {
    package enum Outcome: Hashable, Sendable {
        /// The broker accepted the login, and the message where there was one.
        case reachable(BrokerLimits)
        case failed(ConnectionFailure)
        /// The broker accepted the login, but refused the message.
        case refused(topic: String, ReasonCode)
        /// The broker accepted the login, and ended the connection because of the message.
        case hungUp(topic: String, ConnectionFailure)

        /// A remedy for the operator, on one line; `nil` where all is well.
        package var remedy: String? {
            switch self {
            case .failed(let failure): failure.remedy
            case .refused(_, let reason): reason.publishingRemedy
            case .hungUp: ReasonCode.notAuthorized.publishingRemedy + ", and see the broker's log"
            case .reachable(let broker) where !broker.isQoS1Available: "the broker must take QoS 1"
            case .reachable(let broker) where !broker.isRetainAvailable: "allow retained messages in the broker"
            case .reachable(let broker) where !broker.hasRoomForEvents:
                "allow packets of \(BrokerLimits.neededPacket_bytes) octets in the broker (max_packet_size in mosquitto.conf)"
            case .reachable: nil
            }
        }
    }

    /// Connects, publishes `message`, waits for its PUBACK and disconnects, within `timeout`.
    ///
    /// - Parameters:
    ///   - clientID: must not be the daemon's own, whose connection the broker would end.
    ///   - message: QoS 1; `nil` for the login alone.
    package static func run(
        settings: BrokerSettings, clientID: String, publishing message: Message? = nil, timeout: TimeSpan = .seconds(5)
    ) -> Outcome {
        let deadline = BootClock.now + timeout
        let link = BrokerLink(settings: settings, clientID: clientID)
        var limits: BrokerLimits?
        var mid: UInt16?
        do throws(ConnectionFailure) {
            try link.connect(will: nil)
        } catch {
            return .failed(error)
        }
        while BootClock.now < deadline {
            for event in link.wait(timeout_ms: 100, wake: -1) {
                switch event {
                case .connected(let broker):
                    limits = broker
                    guard var message, broker.isQoS1Available else { return goodbye(link, broker) }
                    message.isRetained = message.isRetained && broker.isRetainAvailable
                    do throws(PublishFailure) {
                        mid = try link.publish(message)
                    } catch {
                        if case .refused(let reason) = error { return .refused(topic: message.topic, reason) }
                    }
                case .acknowledged(let number, let reason) where number == mid:
                    guard reason.isSuccess else { return .refused(topic: message?.topic ?? "", reason) }
                    return goodbye(link, limits ?? BrokerLimits())
                case .lost(let failure):
                    guard let message, mid != nil else { return .failed(failure) }
                    return .hungUp(topic: message.topic, failure)
                case .heard, .acknowledged, .subscribed, .received, .certificateChanged, .certificateRefused: break
                }
            }
        }
        guard limits == nil else { return .failed(.acknowledgementOverdue) }
        return .failed(.connectTimedOut(host: settings.host, port: settings.port))
    }

    /// Whatever of the DISCONNECT can't be written at once doesn't matter: there is no will.
    private static func goodbye(_ link: BrokerLink, _ broker: BrokerLimits) -> Outcome {
        link.client?.disconnect()
        return .reachable(broker)
    }
}
