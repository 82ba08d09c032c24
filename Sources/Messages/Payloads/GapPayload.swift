public import HCI

extension MessageComposer {
    /// `gap`: numbers of events that a limit or a broken disk lost.
    ///
    /// - Parameters:
    ///   - epoch: which the numbers belong to.
    ///   - fromSeq: the first number lost.
    ///   - toSeq: the last.
    ///   - cause: one word for a machine, such as `max_events`.
    public func gap(
        epoch: String, fromSeq: Int64, toSeq: Int64, cause: String, at instant: Instant, _ timebase: Timebase
    ) -> Message {
        var json = payload(ofEpoch: epoch, at: instant, timebase)
        json.set("from_seq", fromSeq)
        json.set("to_seq", toSeq)
        json.set("cause", cause)
        return Message(topic: topics.gap, payload: json.object, qos: .atLeastOnce, isRetained: false)
    }
}
