import Core

/// The line that `systemctl status` shows.
struct StatusLine {
    private var said = SaidOnce<String>(limit: 1)

    /// The line, where it is another one than before.
    ///
    /// - Parameter radio: the word of `status`.
    mutating func news(radio: String, _ delivery: DeliveryCounters, _ outbox: OutboxHealth) -> String? {
        var line = "radio \(radio), broker \(delivery.isConnected ? "connected" : "away")"
        if let condition = outbox.condition { line += ", outbox: \(condition)" }
        return said.isNew(line) ? line : nil
    }
}
