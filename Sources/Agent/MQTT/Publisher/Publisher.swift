import Core
import DequeModule
import Logging

/// Delivers messages to the broker: carries out the decisions of `DeliverySession`.
///
/// One thread owns it and calls `run` in its loop; no other function waits. Each message that it gets is kept or
/// dropped by the session's rules, and goes out in the next round.
package final class Publisher {
    private var session: DeliverySession
    private let link: any BrokerConnection
    private let logger: Logger
    private var pending: Deque<DeliveryAction> = []
    private var incoming: [IncomingMessage] = []
    private var cleared: [String] = []
    private var hasSearched = false
    private var isStarted = false
    private var hasWill = false

    /// The message that the broker publishes when this connection breaks. A change takes effect with the next
    /// connection.
    var will: Message

    private let limits: IncomingLimits

    /// - Parameters:
    ///   - online: the retained birth message, published first on every connection.
    ///   - will: the retained offline message, on the same topic.
    ///   - requestFilters: topic filters to subscribe to on every connection.
    ///   - seed: for the jitter of pauses.
    package init(
        settings: BrokerSettings, link: any BrokerConnection, online: Message, will: Message,
        requestFilters: [String] = [], limits: IncomingLimits = .requests, seed: UInt64, logger: Logger
    ) {
        self.limits = limits
        let parameters = DeliverySession.Parameters(
            host: settings.host, port: settings.port, maxInflight: max(1, settings.maxInflight),
            keepalive_s: settings.keepalive_s, undeliveredHold: settings.undeliveredHold)
        session = DeliverySession(online: online, filters: requestFilters, parameters: parameters, seed: seed)
        self.link = link
        self.will = will
        self.logger = logger
        if !requestFilters.isEmpty, settings.protocolVersion == .v3 {
            // libmosquitto has no limit of its own for what it receives.
            logger.warning(
                """
                mqtt: with mqtt.protocol = 3 the broker does not learn how large a request may be: use 5, or set its \
                message_size_limit
                """)
        }
    }

    var counters: DeliveryCounters { session.counters }

    /// True if the broker has accepted every message, and every event of the source.
    var isDrained: Bool { pending.isEmpty && session.isDrained }

    /// Publishes a message by its delivery. Durable messages come from the source, so they are ignored here.
    func publish(_ message: Message) {
        switch message.delivery {
        case .durable: break
        case .retained: setRetained(message)
        case .ephemeral: publishEphemeral(message)
        case .answer: answer(message)
        }
    }

    /// Publishes a retained message, QoS 1, now and on every new connection. The latest message of a topic counts. The
    /// status is one of them, recognised by its topic. An empty payload clears the topic, once: see `takeCleared`.
    func setRetained(_ message: Message) { pending += session.setRetained(message, at: link.now) }

    /// Stops publishing on a topic. `searchLeftovers` finds what the broker still retains there.
    func dropRetained(_ topic: String) { session.removeRetained(topic) }

    /// Publishes a QoS 0 message, or drops and counts it where it can't go out at once.
    func publishEphemeral(_ message: Message) {
        guard session.admitsEphemeral(isBackedUp: link.isBackedUp) else { return }
        do throws(PublishFailure) {
            _ = try link.publish(message)
        } catch {
            logger.debug("ranging message not sent", metadata: ["topic": "\(message.topic)"])
        }
    }

    /// Publishes the answer to a request, QoS 1: on this connection or not at all.
    func answer(_ message: Message) { pending += session.answer(message, at: link.now) }

    /// Tells that the source has new messages.
    func outgoingAvailable() { pending += session.outgoingAvailable(at: link.now) }

    /// Tells that the source has messages of this machine's previous site and gateway id.
    func formerEventsAvailable() { pending += session.formerEventsAvailable(at: link.now) }

    /// Requests that came since the last call.
    func takeIncoming() -> [IncomingMessage] {
        defer { incoming = [] }
        return incoming
    }

    /// Topics that the broker has cleared since the last call.
    func takeCleared() -> [String] {
        defer { cleared = [] }
        return cleared
    }

    /// Begins a search after a new epoch: once the broker has everything of this gateway, unknown states that it
    /// retains below the gateway's root are cleared.
    func searchLeftovers() { pending += session.searchLeftovers(at: link.now) }

    /// True if a search is due or under way.
    var isSearching: Bool { session.isSearching }

    /// Returns whether a search has ended since the last call.
    func takeSearched() -> Bool {
        defer { hasSearched = false }
        return hasSearched
    }

    /// Runs one round: sends what waits, then waits for the network or for `wake` to become readable, at most
    /// `timeout`.
    ///
    /// `wake` is a descriptor that the caller reads; −1 for none.
    package func run(for timeout: TimeSpan, wake: Int32, outgoing: inout some OutgoingSource) {
        let start = link.now
        pending += isStarted ? session.tick(at: start) : session.start(at: start)
        isStarted = true
        perform(&outgoing)
        let span = max(.zero, min(timeout, session.nextWake - link.now))
        // Rounded up, so that the loop does not spin until a timer that is almost due.
        let timeout_ms = Int32(clamping: (span.microseconds / 1_000).addingReportingOverflow(1).partialValue)
        for event in link.wait(timeout_ms: timeout_ms, wake: wake) { receive(event) }
        pending += session.tick(at: link.now)
        perform(&outgoing)
    }

    /// Says goodbye: publishes `offline` on the status topic, waits for its PUBACK, disconnects.
    ///
    /// Returns whether that succeeded within `timeout`; if not, `complaintOfClose` tells the consequence.
    package func close(offline: Message, timeout: TimeSpan, outgoing: inout some OutgoingSource) -> Bool {
        let deadline = link.now + timeout
        hasWill = counters.isConnected
        pending += session.close(offline: offline, until: deadline, at: link.now)
        perform(&outgoing)
        let isPolite = link.isOpen
        while link.isOpen, link.now < deadline {
            run(for: deadline - link.now, wake: -1, outgoing: &outgoing)
        }
        let isDone = isPolite && session.isClosed && session.isStatusDelivered
        link.drop()
        return isDone
    }

    /// A broker that accepted the login has the will until the goodbye. A broker that lost the connection before has
    /// already published it.
    var complaintOfClose: String {
        hasWill
            ? "no goodbye: the broker did not answer; it publishes the will"
            : "no goodbye: there was no connection to the broker"
    }

    /// The broken rules among those that hold between two calls, a sentence for each; for tests.
    func checkInvariants() -> [String] { session.checkInvariants() }

    private func receive(_ event: ClientEvent) {
        let now = link.now
        switch event {
        case .heard: session.heard(at: now)
        case .connected(let broker): pending += session.connected(broker, at: now)
        case .acknowledged(let mid, let reason): pending += session.acknowledged(mid, reason, at: now)
        case .subscribed(let filter, let reasons): pending += session.subscribed(filter, reasons, at: now)
        case .received(let message) where session.searches(message.topic):
            pending += session.heardOwnTopic(message, at: now)
        case .received(let message):
            if incoming.count < limits.messages {
                incoming.append(message)
            } else {
                session.droppedIncoming()
            }
        case .certificateChanged: pending += session.certificateChanged(at: now)
        case .certificateRefused(let failure): pending.append(.log(.certificateRefused(failure)))
        case .lost(let failure): lose(failure)
        }
    }

    private func lose(_ failure: ConnectionFailure) {
        link.drop()
        pending += session.connectionLost(failure, at: link.now)
    }

    /// Carries out the session's actions, and the actions that follow from them.
    private func perform(_ outgoing: inout some OutgoingSource) {
        var acknowledged: [UInt64] = []
        while let action = pending.popFirst() {
            switch action {
            case .connect:
                do throws(ConnectionFailure) {
                    var will = will
                    will.isRetained = will.isRetained && session.isWillRetained
                    try link.connect(will: will, after: counters.lastFailure)
                } catch {
                    lose(error)
                }
            case .drop: link.drop()
            case .disconnect: link.disconnect()
            case .subscribe(let filters): for filter in filters { link.subscribe(filter) }
            case .unsubscribe(let filters): for filter in filters { link.unsubscribe(filter) }
            case .publish(let ticket, let message): publish(ticket, message)
            case .fetch(let limit):
                pending += session.supply(outgoing.next(limit: limit), at: link.now)
            case .fetchOfFormerGateway(let limit):
                pending += session.supplyFormer(outgoing.nextOfFormerGateway(limit: limit), at: link.now)
            case .acknowledge(let sequence): acknowledged.append(sequence)
            case .cleared(let topic): cleared.append(topic)
            case .searched(let count):
                hasSearched = true
                if count > 0 { logger.info("mqtt: \(DeliveryNotice.leftoversCleared(count: count))") }
            case .park(let sequence): outgoing.park(sequence)
            case .giveUp(let sequence): outgoing.giveUp(sequence)
            case .log(let notice): logger.log(level: notice.isWarning ? .warning : .info, "mqtt: \(notice)")
            }
        }
        if !acknowledged.isEmpty { outgoing.acknowledge(acknowledged) }
    }

    private func publish(_ ticket: Ticket, _ message: Message) {
        do throws(PublishFailure) {
            session.published(ticket, as: try link.publish(message))
        } catch {
            switch error {
            case .refused(let reason): pending += session.refusedLocally(ticket, reason, at: link.now)
            // The client's last event tells the reason; the next round reads it.
            case .connectionLost: break
            }
        }
    }
}
