extension MessageComposer {
    /// `coverage`: a time in which the radio was in one condition, numbered.
    ///
    /// - Parameters:
    ///   - number: its number within the epoch, from 1.
    public func coverage(_ told: ToldSpan, epoch: String, number: Int64, _ timebase: Timebase) -> Message {
        var json = payload(ofEpoch: epoch, at: timebase.instant(told.to), timebase)
        json.set("span", number)
        json.set("from_at", Timestamp.text(told.from))
        json.set("to_at", Timestamp.text(told.to))
        json.set("radio", told.span.radio.word)
        return Message(topic: topics.coverage, payload: json.object, qos: .atLeastOnce, isRetained: false)
    }
}
