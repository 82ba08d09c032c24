import Gateway

/// What `health` says was given up, by cause.
enum HealthDrops {
    /// - Parameter figures: `nil` before there are any.
    static func list(_ figures: GatewayFigures?) -> [(cause: String, count: UInt64)] {
        [
            ("max_transmitters", figures?.refusedTransmitters ?? 0),
            ("max_instances", figures?.refusedInstances ?? 0),
        ]
    }
}
