import Gateway

/// What `health` says was given up, by cause.
enum HealthDrops {
    static func list(_ figures: GatewayFigures) -> [(cause: String, count: UInt64)] {
        [
            ("max_transmitters", figures.refusedTransmitters),
            ("max_instances", figures.refusedInstances),
        ]
    }
}
