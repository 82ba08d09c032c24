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
}
