import Configuration
import HCI
import Logging
import MQTT
import Messages
import Outbox

/// How a gateway publishes, whether it runs or replays.
extension Publisher {
    /// One client for each gateway of a site.
    package static func clientID(_ settings: Settings) -> String {
        "beacond-\(settings.gateway.site)-\(settings.gateway.id ?? "gateway")"
    }

    /// - Parameters:
    ///   - radio: what the birth message and the will say of it.
    ///   - now: when they are written.
    ///   - seed: for the jitter of pauses between connections.
    package convenience init(
        _ settings: Settings, _ dispatcher: Dispatcher, link: any BrokerConnection,
        radio: MessageComposer.RadioStatus, at now: Instant, _ timebase: Timebase, requestFilters: [String] = [],
        seed: UInt64, logger: Logger
    ) {
        func message(isOnline: Bool) -> Message {
            dispatcher.composer.status(
                isOnline: isOnline, epoch: dispatcher.outbox.numbering.epoch, radio: radio, at: now, timebase)
        }
        self.init(
            settings: settings.mqtt, link: link, online: message(isOnline: true), will: message(isOnline: false),
            requestFilters: requestFilters, seed: seed, logger: logger)
    }

    /// Publishes what the dispatcher has committed. Events go out first, before the states that name them.
    package func publish(_ items: [Dispatcher.Dispatched], events: inout OutboxEvents, logger: Logger) {
        eventsAvailable()
        run(for: .zero, wake: -1, events: &events)
        for item in items {
            switch item.content {
            case .event: break
            case .state(let message): setRetained(message)
            case .ranging(let message): publishEphemeral(message)
            case .answer(let message): answer(message)
            case .failure(let failure): logger.error("\(failure)")
            }
        }
    }
}
