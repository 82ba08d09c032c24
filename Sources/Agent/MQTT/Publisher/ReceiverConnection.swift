import Core
import Logging

/// A connection of its own to the broker of a receiver: it subscribes, and passes each message on.
package final class ReceiverConnection: Sendable {
    /// The limits of the broker's messages: those of a receiver, whichever connection brings them.
    package static let limits = IncomingLimits(messages: 4_096, payload_bytes: ReceivedPacket.mostOctets)
    private let stop: StopRequest
    private let worker: WorkerThread

    /// - Parameter clientID: unique among all clients of the broker.
    package init(
        _ settings: BrokerSettings, clientID: String, filter: String, inbox: ReceiverInbox, logger: Logger
    ) throws(SystemError) {
        let stop = try StopRequest()
        self.stop = stop
        worker = try WorkerThread {
            let link = BrokerLink(settings: settings, clientID: clientID, limits: Self.limits, liveFilter: filter)
            var work = Work(
                link: LastingLink(link, filters: [filter], pauses: .seconds(1) ... .seconds(60)),
                inbox: inbox, logger: logger, place: "\(settings.host):\(settings.port)")
            work.run(until: stop)
        }
    }

    /// Closes the connection, and waits for the thread to end.
    package func end() {
        stop.make()
        worker.join()
    }

    private struct Work {
        var link: LastingLink
        let inbox: ReceiverInbox
        let logger: Logger
        let place: String
        var loggedFailures = LogOnce<ConnectionFailure>()

        mutating func run(until stop: StopRequest) {
            while !stop.isMade {
                for event in link.wait(timeout_ms: 1_000, wake: stop.wake) { receive(event) }
            }
            link.end()
        }

        private mutating func receive(_ event: ClientEvent) {
            switch event {
            case .subscribed(let filter, let reasons):
                guard let reason = reasons.first(where: { !$0.isSuccess }) else { break }
                logger.warning("receiver: \(place) refuses to let this agent read \(filter): \(reason)")
            case .received(let message): inbox.take(message, at: SystemClock.now)
            case .lost(let failure):
                if link.wasGood { loggedFailures.reset() }
                if loggedFailures.isNew(failure) {
                    logger.warning("receiver: \(place): \(failure): \(failure.remedy)")
                }
            case .heard, .connected, .acknowledged, .certificateChanged, .certificateRefused: break
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
