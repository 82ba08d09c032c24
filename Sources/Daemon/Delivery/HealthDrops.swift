import Gateway
import Outbox

/// What `health` says was given up, by cause.
package enum HealthDrops {
    /// - Parameter figures: `nil` before there are any.
    package static func list(_ figures: GatewayFigures?) -> [(cause: String, count: UInt64)] {
        [
            ("max_transmitters", figures?.refusedTransmitters ?? 0),
            ("max_instances", figures?.refusedInstances ?? 0),
        ]
    }

    package static func list(_ outbox: OutboxHealth) -> [(cause: String, count: UInt64)] {
        OutboxGap.Cause.allCases.map { ("outbox_\($0.rawValue)", UInt64(clamping: outbox.droppedEvents[$0] ?? 0)) }
    }
}
