import TestAir

@testable import Core

extension Settings {
    /// Returns settings with the region of people `visitors`, at once after the start.
    ///
    /// - Parameter own: more tables.
    static func visitors(minimum: Int = 2, _ own: String = "") throws -> Settings {
        try Settings.parse(
            """
            [regions]
            settle_s = 0
            count_minimum = \(minimum)
            [[region]]
            id = "visitors"
            uuid = "\(Air.uuid)"
            people = true
            \(own)
            """)
    }
}

extension Air {
    /// Adds three visitors of 100 s. The quarter of an hour ends at 400 s of a story.
    mutating func threeVisitors() {
        for person in 1...3 {
            beacon(
                .beacon(7, UInt16(person)), from: .rotating(UInt64(person)), every_s: 1, start_s: Double(10 * person),
                end_s: 100 + Double(10 * person))
        }
    }

    /// Plays all of it. Returns the engine and its outputs.
    ///
    /// - Parameter stops: whether the engine stops at the end.
    func played(_ settings: GatewaySettings, stops: Bool = true) -> (GatewayEngine, [GatewayOutput]) {
        var outputs: [GatewayOutput] = []
        var player = CapturePlayer(settings, restoring: [], at: Story.startTime, outputs: &outputs)
        for (number, transmission) in inOrder.enumerated() {
            player.receive(
                transmission.event.span, at: Story.startTime + .seconds(transmission.t_s), outputs: &outputs)
            if number % 1_000 == 0 { player.engine.check() }
        }
        player.engine.check()
        if stops { player.stop(&outputs) }
        return (player.engine, outputs)
    }
}
