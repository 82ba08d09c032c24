/// A message's number, which identifies the message for ever.
package struct MessageNumber: Hashable, Sendable {
    package var epoch: String
    package var series: NumberSeries
    /// The sequence number within the epoch and the series, from 1, without gaps.
    package var seq: Int64

    package init(epoch: String, series: NumberSeries = .events, seq: Int64) {
        self.epoch = epoch
        self.series = series
        self.seq = seq
    }
}

/// A durable message, from the transaction that commits it to the acknowledgement of the broker.
package struct NumberedMessage: Hashable, Sendable {
    package var number: MessageNumber
    package var topic: String
    /// UTF-8 JSON.
    package var payload: [UInt8]

    package init(_ number: MessageNumber, topic: String, payload: [UInt8]) {
        self.number = number
        self.topic = topic
        self.payload = payload
    }
}

/// The payload of a numbered message. It contains the number too.
package protocol NumberedPayload: Payload {
    var number: MessageNumber { get }
}

/// The part of a numbered payload that only messages of its kind have.
protocol NumberedContent: Hashable, Sendable {
    /// The series of the number.
    static var series: NumberSeries { get }

    /// Writes the fields behind the number.
    func write(to json: inout JSONWriter)
}

/// A numbered payload: the head, the sender, the number, and the content.
struct NumberedEnvelope<Content: NumberedContent>: NumberedPayload, Hashable {
    package var head: PayloadHead
    var origin: PayloadOrigin
    package var number: MessageNumber
    var content: Content
}

extension NumberedEnvelope {
    package func write(to json: inout JSONWriter) {
        origin.write(to: &json)
        json.set(number)
        content.write(to: &json)
    }
}

/// A content with its JSON reader.
protocol ReadableContent: NumberedContent {
    /// Reads the fields behind the number.
    init(_ fields: inout PayloadFields) throws(PayloadError)
}

extension NumberedEnvelope: ReadablePayload where Content: ReadableContent {
    init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, origin: try PayloadOrigin(&fields), number: try fields.number(of: Content.series),
            content: try Content(&fields))
    }
}

extension MessageComposer {
    /// Returns the message of a content on the topic of its kind.
    func numbered(
        _ content: some NumberedContent, _ kind: MessageKind, _ head: PayloadHead, _ number: MessageNumber
    ) -> NumberedMessage {
        let payload = NumberedEnvelope(head: head, origin: origin, number: number, content: content)
        return NumberedMessage(payload, topic: topics.topic(.gateway(kind)))
    }

    /// Returns the publication of a content, with the next number of its series.
    ///
    /// - Parameter first: the earliest time that the message may have; `nil` for any.
    func publication<Content: NumberedContent>(
        of content: Content, _ kind: MessageKind, notBefore first: WallTime? = nil, _ context: PublicationContext
    ) -> Publication {
        var head = head(at: context.instant, context.timebase)
        if let first { head.at = max(head.at, first) }
        return Publication([.numbered(numbered(content, kind, head, context.number(Content.series)))])
    }
}

extension PayloadFields {
    /// Reads the number of a message.
    fileprivate mutating func number(of series: NumberSeries) throws(PayloadError) -> MessageNumber {
        MessageNumber(epoch: try epoch(), series: series, seq: try number(series.key))
    }
}

extension JSONWriter {
    mutating func set(_ number: MessageNumber) {
        set("epoch", number.epoch)
        set(number.series.key, number.seq)
    }
}

extension NumberedMessage {
    init(_ payload: some NumberedPayload, topic: String) {
        self.init(payload.number, topic: topic, payload: payload.encoded)
    }
}

extension Message {
    package init(_ numbered: NumberedMessage) {
        self.init(topic: numbered.topic, payload: numbered.payload, .durable(numbered.number.series))
    }
}
