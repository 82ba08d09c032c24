import Core
import Logging

/// How a gateway publishes, whether it runs or replays.
extension Publisher {
    /// One client for each gateway of a site. With slashes, which no site and no id may have: with dashes "north", "1-door" and
    /// "north-1", "door" would be one, and push each other out.
    package static func clientID(_ topics: TopicTree) -> String { "beacond/" + topics.root }

    /// - Parameters:
    ///   - radio: what the birth message and the will say of it.
    ///   - now: when they are written.
    ///   - seed: for the jitter of pauses between connections.
    package convenience init(
        _ settings: BrokerSettings, _ dispatcher: Dispatcher, link: any BrokerConnection,
        radio: MessageComposer.RadioStatus, at now: Instant, _ timebase: Timebase, requestFilters: [String] = [],
        limits: IncomingLimits = .requests, seed: UInt64, logger: Logger
    ) {
        self.init(
            settings: settings, link: link,
            online: dispatcher.status(isOnline: true, radio: radio, at: now, timebase),
            will: dispatcher.status(isOnline: false, radio: radio, at: now, timebase),
            requestFilters: requestFilters, limits: limits, seed: seed, logger: logger)
    }

    /// Says anew how the gateway is, and what the broker is to say if it vanishes.
    func announceStatus(
        _ dispatcher: Dispatcher, radio: MessageComposer.RadioStatus, at now: Instant, _ timebase: Timebase
    ) {
        setRetained(dispatcher.status(isOnline: true, radio: radio, at: now, timebase))
        will = dispatcher.status(isOnline: false, radio: radio, at: now, timebase)
    }

    /// An epoch has begun: the status names it, and states name no event of the one before.
    package func announceEpoch(
        _ dispatcher: Dispatcher, radio: MessageComposer.RadioStatus, at now: Instant, _ timebase: Timebase
    ) {
        announceStatus(dispatcher, radio: radio, at: now, timebase)
        for state in dispatcher.statesOfNewEpoch(timebase) { setRetained(state) }
    }

    /// Publishes what the dispatcher has committed. Events come first, so that they go out before the states that name them
    /// as far as the window holds them. Where more of them wait, states overtake: they are the present, and nothing may
    /// hold them up.
    package func publish(_ items: [Dispatcher.Dispatched], outgoing: inout OutboxSource, logger: Logger) {
        outgoingAvailable()
        run(for: .zero, wake: -1, outgoing: &outgoing)
        for item in items {
            switch item.content {
            case .message(let message): publish(message)
            case .failure(let failure): logger.error("\(failure)")
            case .notice(let notice): logger.warning("\(notice)")
            case .entityLimit(let limit): logger.warning("\(limit)")
            case .unlistedState(let topic):
                dropRetained(topic)
                searchLeftovers()
            }
        }
    }
}
