/// `coverage`: a time in which the radio was in one condition, numbered.
typealias CoveragePayload = NumberedEnvelope<Coverage>

/// A span as a message has it.
struct Coverage: NumberedContent {
    static let series = NumberSeries.spans

    var from: WallTime
    /// Never before `from`.
    var to: WallTime
    var radio: CoveredRadio

    func write(to json: inout JSONWriter) {
        json.set("from_at", from)
        json.set("to_at", to)
        json.set("radio", radio.word)
    }
}

extension MessageComposer {
    package func coverage(_ span: DatedSpan, _ number: MessageNumber, _ timebase: Timebase) -> NumberedMessage {
        let content = Coverage(from: span.from, to: span.to, radio: span.span.radio)
        // A span that continues another one may end later than the clock now says.
        return numbered(content, .coverage, head(at: timebase.instant(span.to), timebase), number)
    }
}

/// `surge`: entries that a limit held back in one region during one minute, numbered.
typealias SurgePayload = NumberedEnvelope<Surge>

/// A surge as a message has it.
struct Surge: NumberedContent {
    static let series = NumberSeries.surges

    /// The first entry that was held back.
    var from: WallTime
    /// The last one; never before `from`.
    var to: WallTime
    /// The region's id.
    var region: String
    /// The number of entries held back, at least 1.
    var refused: Int64
    /// An estimate of the number of distinct identities, from 1 to `refused`.
    var identities: Int64

    func write(to json: inout JSONWriter) {
        json.set("from_at", from)
        json.set("to_at", to)
        json.set("region", region)
        json.set("refused", refused)
        json.set("identities", identities)
    }
}

extension EntryBudget.Surge: MessageContent {
    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        let from = context.timebase.wall(from)
        let surge = Surge(
            from: from, to: max(from, context.timebase.wall(to)), region: region, refused: refused,
            identities: identities)
        return composer.publication(of: surge, .surge, context)
    }
}

/// `gap`: numbers of events, or of another series, that were lost by a limit or a broken disk.
struct GapPayload: Payload, Hashable {
    package var head: PayloadHead
    var origin: PayloadOrigin
    var epoch: String
    var series: NumberSeries
    /// The first and the last lost number.
    var numbers: ClosedRange<Int64>
    /// The cause as one word for programs, such as `max_events`.
    var cause: String
}

extension GapPayload {
    func write(to json: inout JSONWriter) {
        origin.write(to: &json)
        json.set("epoch", epoch)
        json.set(series.gapKeys.from, numbers.lowerBound)
        json.set(series.gapKeys.to, numbers.upperBound)
        json.set("cause", cause)
    }
}

extension MessageComposer {
    /// - Parameter cause: one word for programs, such as `max_events`.
    package func gap(
        epoch: String, of series: NumberSeries = .events, fromSeq: Int64, toSeq: Int64, cause: String,
        at instant: Instant, _ timebase: Timebase
    ) -> Message {
        let payload = GapPayload(
            head: head(at: instant, timebase), origin: origin, epoch: epoch, series: series,
            numbers: fromSeq...max(fromSeq, toSeq), cause: cause)
        return message(.gap, on: topics.gap, payload.encoded)
    }
}
