/// `gap`: numbers of events, or of another series, that a limit or a broken disk lost.
struct GapPayload: Payload, Hashable {
    package var head: PayloadHead
    package var origin: PayloadOrigin
    /// Which the numbers belong to.
    package var epoch: String
    /// What they are of.
    var series: NumberSeries
    /// The first that is lost, and the last.
    var numbers: ClosedRange<Int64>
    /// One word for a machine, such as `max_events`.
    var cause: String
}

extension GapPayload {
    init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        let origin = try PayloadOrigin(&fields)
        let epoch = try fields.epoch()
        let series = NumberSeries.allCases.first { fields.has($0.gapKeys.from) } ?? .events
        let (from, to): (Int64, Int64) = (try fields.number(series.gapKeys.from), try fields.number(series.gapKeys.to))
        guard from <= to else { throw PayloadError("\(series.gapKeys.to)", .mustBeOneOf("\(from) or more")) }
        self.init(
            head: head, origin: origin, epoch: epoch, series: series, numbers: from...to,
            cause: try fields.text("cause"))
    }

    func write(to json: inout JSONWriter) {
        origin.write(to: &json)
        json.set("epoch", epoch)
        json.set(series.gapKeys.from, numbers.lowerBound)
        json.set(series.gapKeys.to, numbers.upperBound)
        json.set("cause", cause)
    }
}

extension MessageComposer {
    /// - Parameters:
    ///   - epoch: which the numbers belong to.
    ///   - series: what they are of.
    ///   - fromSeq: the first number lost.
    ///   - toSeq: the last.
    ///   - cause: one word for a machine, such as `max_events`.
    package func gap(
        epoch: String, of series: NumberSeries = .events, fromSeq: Int64, toSeq: Int64, cause: String,
        at instant: Instant,
        _ timebase: Timebase
    ) -> Message {
        let payload = GapPayload(
            head: head(at: instant, timebase), origin: origin, epoch: epoch, series: series,
            numbers: fromSeq...max(fromSeq, toSeq), cause: cause)
        return message(.gap, on: topics.gap, payload.encoded)
    }
}
