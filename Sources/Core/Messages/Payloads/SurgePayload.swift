/// `surge`: entries that a limit held back in one region during one minute, numbered.
struct SurgePayload: Payload, Hashable {
    package var head: PayloadHead
    package var origin: PayloadOrigin
    package var epoch: String
    /// Its number within the epoch, from 1.
    var surge: Int64
    /// The first entry that was held back.
    package var from: WallTime
    /// The last one; never before `from`.
    package var to: WallTime
    /// The region's id.
    var region: String
    /// The number of entries that were held back, 1 at least.
    var refused: Int64
    /// An estimate of how many different identities these were, from 1 to `refused`.
    var identities: Int64
}

extension SurgePayload {
    init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, origin: try PayloadOrigin(&fields), epoch: try fields.epoch(),
            surge: try fields.number("surge"), from: try fields.time("from_at"), to: try fields.time("to_at"),
            region: try fields.text("region"), refused: try fields.number("refused"),
            identities: try fields.number("identities"))
        guard from <= to else { throw PayloadError("to_at", .mustBeOneOf("from_at or later")) }
        guard identities <= refused else { throw PayloadError("identities", .mustBeOneOf("\(refused) or less")) }
    }

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

extension MessageComposer {
    /// - Parameters:
    ///   - number: the surge's number within the epoch, from 1.
    ///   - instant: when the minute was over.
    package func surge(
        _ surge: EntryBudget.Surge, epoch: String, number: Int64, at instant: Instant, _ timebase: Timebase
    ) -> NumberedMessage {
        let from = timebase.wall(surge.from)
        let payload = SurgePayload(
            head: head(at: instant, timebase), origin: origin, epoch: epoch, surge: number, from: from,
            to: max(from, timebase.wall(surge.to)), region: surge.region, refused: surge.refused,
            identities: surge.identities)
        return NumberedMessage(
            MessageNumber(epoch: epoch, series: .surges, seq: number), topic: topics.topic(.gateway(.surge)),
            payload: payload.encoded)
    }
}
