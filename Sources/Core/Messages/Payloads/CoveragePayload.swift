/// `coverage`: a time in which the radio was in one condition, numbered.
package struct CoveragePayload: Payload, Hashable {
    package var head: PayloadHead
    package var origin: PayloadOrigin
    package var epoch: String
    /// Its number within the epoch, from 1.
    var span: Int64
    package var from: WallTime
    /// Never before `from`.
    package var to: WallTime
    package var radio: CoveredRadio
}

extension CoveragePayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, origin: try PayloadOrigin(&fields), epoch: try fields.epoch(), span: try fields.number("span"),
            from: try fields.time("from_at"), to: try fields.time("to_at"), radio: try fields.radio())
        guard from <= to else { throw PayloadError("to_at", .mustBeOneOf("from_at or later")) }
    }

    package func write(to json: inout JSONWriter) {
        origin.write(to: &json)
        json.set("epoch", epoch)
        json.set("span", span)
        json.set("from_at", Timestamp.text(from))
        json.set("to_at", Timestamp.text(to))
        json.set("radio", radio.word)
    }
}

extension MessageComposer {
    /// - Parameter number: the span's number within the epoch, from 1.
    package func coverage(_ told: ToldSpan, epoch: String, number: Int64, _ timebase: Timebase) -> NumberedMessage {
        let payload = CoveragePayload(
            head: head(at: timebase.instant(told.to), timebase), origin: origin, epoch: epoch, span: number,
            from: told.from, to: told.to, radio: told.span.radio)
        return NumberedMessage(
            MessageNumber(epoch: epoch, series: .spans, seq: number), topic: topics.coverage, payload: payload.encoded)
    }
}
