public import HCI

/// `gap`: numbers of events, or of spans of coverage, that a limit or a broken disk lost.
package struct GapPayload: Payload, Hashable {
    package var head: PayloadHead
    package var origin: PayloadOrigin
    /// Which the numbers belong to.
    package var epoch: String
    /// What they number.
    package var counted: MessageComposer.Counted
    /// The first that is lost, and the last.
    package var numbers: ClosedRange<Int64>
    /// One word for a machine, such as `max_events`.
    package var cause: String
}

extension MessageComposer {
    /// What the numbers of a gap are of.
    public enum Counted: CaseIterable, Sendable {
        case events
        case spans

        /// The names of the fields that have the first number and the last.
        fileprivate var keys: (from: StaticString, to: StaticString) {
            switch self {
            case .events: ("from_seq", "to_seq")
            case .spans: ("from_span", "to_span")
            }
        }
    }
}

extension GapPayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        let origin = try PayloadOrigin(&fields)
        let epoch = try fields.epoch()
        let counted: MessageComposer.Counted = fields.has("from_span") ? .spans : .events
        let (from, to): (Int64, Int64) = (try fields.number(counted.keys.from), try fields.number(counted.keys.to))
        guard from <= to else { throw PayloadError("\(counted.keys.to)", .mustBeOneOf("\(from) or more")) }
        self.init(
            head: head, origin: origin, epoch: epoch, counted: counted, numbers: from...to,
            cause: try fields.text("cause"))
    }

    package func write(to json: inout JSONWriter) {
        origin.write(to: &json)
        json.set("epoch", epoch)
        json.set(counted.keys.from, numbers.lowerBound)
        json.set(counted.keys.to, numbers.upperBound)
        json.set("cause", cause)
    }
}

extension MessageComposer {
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
        let payload = GapPayload(
            head: head(at: instant, timebase), origin: origin, epoch: epoch, counted: counted,
            numbers: fromSeq...max(fromSeq, toSeq), cause: cause)
        return Message(topic: topics.gap, payload: payload.encoded, qos: .atLeastOnce, isRetained: false)
    }
}
