import Core

/// A message as it stands in the file: its text, with whatever model writes it shortest.
struct EventRow {
    /// What a row takes beside its content, about, in bytes: its header, three numbers and its place in the page.
    static let overhead: Int64 = 16

    var queued: QueuedMessage
    var content: [UInt8]

    var size: Int64 { Int64(content.count) + Self.overhead }
}

/// A message's topic and payload as one text.
enum EventText {
    static func write(_ message: NumberedMessage) -> [UInt8] { Array(message.topic.utf8) + [0] + message.payload }

    /// `nil` for what was not written by `write` and `model`.
    static func read(_ coded: [UInt8], _ model: TextModel) -> (topic: String, payload: [UInt8])? {
        guard let text = model.decode(coded), let end = text.firstIndex(of: 0) else { return nil }
        return (String(decoding: text[..<end], as: UTF8.self), Array(text[(end + 1)...]))
    }
}
