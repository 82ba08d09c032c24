public import HCI

extension MessageComposer {
    /// What the numbers of a gap are of.
    public enum Counted: Sendable {
        case events
        case spans
    }

    /// `gap`: numbers of events, or of spans of coverage, that a limit or a broken disk lost.
    ///
    /// - Parameters:
    ///   - epoch: which the numbers belong to.
    ///   - counted: what they number.
    ///   - fromSeq: the first number lost.
    ///   - toSeq: the last.
    ///   - cause: one word for a machine, such as `max_events`.
    public func gap(
        epoch: String, of counted: Counted = .events, fromSeq: Int64, toSeq: Int64, cause: String, at instant: Instant,
        _ timebase: Timebase
    ) -> Message {
        var json = payload(ofEpoch: epoch, at: instant, timebase)
        switch counted {
        case .events:
            json.set("from_seq", fromSeq)
            json.set("to_seq", toSeq)
        case .spans:
            json.set("from_span", fromSeq)
            json.set("to_span", toSeq)
        }
        json.set("cause", cause)
        return Message(topic: topics.gap, payload: json.object, qos: .atLeastOnce, isRetained: false)
    }
}
