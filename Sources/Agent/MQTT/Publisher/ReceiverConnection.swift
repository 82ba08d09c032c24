import Core
import Logging

/// A connection of its own to the broker of a receiver: it subscribes, and passes each message on.
package final class ReceiverConnection: Sendable {
    /// The limits of the broker's messages: those of a receiver, whichever connection brings them.
    package static let limits = IncomingLimits(messages: 4_096, payload_bytes: ReceivedPacket.mostOctets)
    private static let pauses = TimeSpan.seconds(1)...TimeSpan.seconds(60)
    /// A connection that lasted this long was a good one, and resets the pause.
    private static let goodConnection = TimeSpan.seconds(10)
    private static let loginLimit = TimeSpan.seconds(30)

    private let stop: StopRequest
    private let worker: WorkerThread

    /// - Parameter clientID: unique among all clients of the broker.
    package init(
        _ settings: BrokerSettings, clientID: String, filter: String, inbox: ReceiverInbox, logger: Logger
    ) throws(SystemError) {
        let stop = try StopRequest()
        self.stop = stop
        worker = try WorkerThread {
            var work = Work(
                link: BrokerLink(settings: settings, clientID: clientID, limits: Self.limits, liveFilter: filter),
                filter: filter, inbox: inbox, logger: logger, place: "\(settings.host):\(settings.port)")
            work.run(until: stop)
        }
    }

    /// Closes the connection, and waits for the thread to end.
    package func end() {
        stop.make()
        worker.join()
    }

    private struct Work {
        private enum State {
            case pausing(until: BootInstant)
            case connecting(until: BootInstant)
            case connected(since: BootInstant)
        }

        let link: BrokerLink
        let filter: String
        let inbox: ReceiverInbox
        let logger: Logger
        let place: String
        private var state = State.pausing(until: .origin)
        private var pause = DoublingPause(pauses)
        private var loggedFailures = LogOnce<ConnectionFailure>()
        private var failure: ConnectionFailure?

        init(link: BrokerLink, filter: String, inbox: ReceiverInbox, logger: Logger, place: String) {
            (self.link, self.filter, self.inbox, self.logger, self.place) = (link, filter, inbox, logger, place)
        }

        mutating func run(until stop: StopRequest) {
            while !stop.isMade {
                advance()
                for event in link.wait(timeout_ms: 1_000, wake: stop.wake) { receive(event) }
            }
            link.disconnect()
            _ = link.wait(timeout_ms: 100, wake: -1)
        }

        private mutating func advance() {
            switch state {
            case .pausing(let until) where link.now >= until:
                state = .connecting(until: link.now + loginLimit)
                do throws(ConnectionFailure) {
                    try link.connect(will: nil, after: failure)
                } catch {
                    lose(error)
                }
            case .connecting(let until) where link.now >= until: lose(.acknowledgementOverdue)
            case .pausing, .connecting, .connected: break
            }
        }

        private mutating func receive(_ event: ClientEvent) {
            switch event {
            case .connected:
                state = .connected(since: link.now)
                link.subscribe(filter)
            case .subscribed(_, let reasons):
                guard let reason = reasons.first(where: { !$0.isSuccess }) else { break }
                logger.warning("receiver: \(place) refuses to let this agent read \(filter): \(reason)")
            case .received(let message): inbox.take(message, at: SystemClock.now)
            case .lost(let failure): lose(failure)
            case .heard, .acknowledged, .certificateChanged, .certificateRefused: break
            }
        }

        private mutating func lose(_ failure: ConnectionFailure) {
            if case .connected(let since) = state, link.now - since >= goodConnection {
                pause.reset()
                loggedFailures.forget()
            }
            self.failure = failure
            link.drop()
            state = .pausing(until: link.now + pause.next())
            if loggedFailures.isNew(failure) {
                logger.warning("receiver: \(place): \(failure): \(failure.remedy)")
            }
        }
    }
}

extension ReceiverInbox {
    /// Takes a message of a broker. One that the broker had kept tells nothing of now, and is left out.
    ///
    /// - Returns: whether its topic is the receiver's.
    @discardableResult
    package func take(_ message: IncomingMessage, at now: Instant) -> Bool {
        guard !message.isRetained else { return owns(message.topic) }
        return take(message.payload.octets, on: message.topic, at: now)
    }
}
