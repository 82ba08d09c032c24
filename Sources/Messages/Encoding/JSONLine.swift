/// A message as one line of JSON, as `beacond replay` prints it.
public enum JSONLine {
    /// The payload of a message that clears its topic is `null`.
    ///
    /// - Parameter t_s: seconds since the first record.
    public static func line(_ message: Message, t_s: Double) -> [UInt8] {
        var json = JSONWriter()
        json.set("t", t_s, decimals: 6)
        json.set("topic", message.topic)
        json.set("qos", message.qos.rawValue)
        json.set("retain", message.isRetained)
        json.set("payload", object: message.payload.isEmpty ? Array("null".utf8) : message.payload)
        return json.object + [UInt8(ascii: "\n")]
    }

    /// Reads what `line` wrote, as far as it matters to who takes it in.
    ///
    /// - Returns: seconds since the first record, the topic, and the payload; `nil` for a message that clears its topic.
    package static func read(
        _ line: [UInt8]
    ) throws(PayloadError) -> (t_s: Double, topic: String, payload: PayloadFields?) {
        var fields = try PayloadFields(line)
        let (t_s, topic) = (try fields.number("t", 0...1e9), try fields.text("topic"))
        if fields.isNull("payload") { return (t_s, topic, nil) }
        return (t_s, topic, try fields.object("payload") { fields in fields })
    }
}
