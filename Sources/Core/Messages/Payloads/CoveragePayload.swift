/// `coverage`: a time in which the radio was in one condition, numbered.
struct CoveragePayload: NumberedPayload, Hashable {
    package var head: PayloadHead
    var origin: PayloadOrigin
    var epoch: String
    /// The number within the epoch, from 1.
    var span: Int64
    var from: WallTime
    /// Never before `from`.
    var to: WallTime
    var radio: CoveredRadio

    package var number: MessageNumber { MessageNumber(epoch: epoch, series: .spans, seq: span) }
}

extension CoveragePayload {
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
    package func coverage(_ span: DatedSpan, epoch: String, number: Int64, _ timebase: Timebase) -> NumberedMessage {
        let payload = CoveragePayload(
            head: head(at: timebase.instant(span.to), timebase), origin: origin, epoch: epoch, span: number,
            from: span.from, to: span.to, radio: span.span.radio)
        return NumberedMessage(payload, topic: topics.coverage)
    }
}

/// `surge`: entries that a limit held back in one region during one minute, numbered.
struct SurgePayload: NumberedPayload, Hashable {
    package var head: PayloadHead
    var origin: PayloadOrigin
    var epoch: String
    /// The number within the epoch, from 1.
    var surge: Int64
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

    package var number: MessageNumber { MessageNumber(epoch: epoch, series: .surges, seq: surge) }
}

extension SurgePayload {
    func write(to json: inout JSONWriter) {
        origin.write(to: &json)
        json.set("epoch", epoch)
        json.set("surge", surge)
        json.set("from_at", Timestamp.text(from))
        json.set("to_at", Timestamp.text(to))
        json.set("region", region)
        json.set("refused", refused)
        json.set("identities", identities)
    }
}

extension EntryBudget.Surge: MessageContent {
    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        let (timebase, number) = (context.timebase, context.number(.surges))
        let from = timebase.wall(from)
        let payload = SurgePayload(
            head: composer.head(at: context.instant, timebase), origin: composer.origin, epoch: number.epoch,
            surge: number.seq, from: from, to: max(from, timebase.wall(to)), region: region, refused: refused,
            identities: identities)
        return Publication(payload, topic: composer.topics.topic(.gateway(.surge)))
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
