/// A message as one line of JSON, as `beacond replay` prints it.
package enum JSONLine {
    /// In pieces, because a store's list is some MiB long. The payload of a message that clears its topic is `null`.
    ///
    /// - Parameter t_s: seconds since the first record.
    package static func pieces(_ message: Message, t_s: Double) -> [[UInt8]] {
        var json = JSONWriter()
        json.set("t", t_s, decimals: 6)
        json.set("topic", message.topic)
        json.set("qos", message.qos.rawValue)
        json.set("retain", message.isRetained)
        json.set("payload", object: [])
        return [json.octets, message.payload.isEmpty ? Array("null".utf8) : message.payload, Array("}\n".utf8)]
    }

    /// When a line comes, seconds since the first record. Where that stands first, as in what `pieces` wrote, nothing else is looked at.
    package static func time_s(_ line: ArraySlice<UInt8>) throws(PayloadError) -> Double {
        if line.starts(with: "{\"t\":".utf8), let end = line.prefix(64).firstIndex(of: UInt8(ascii: ",")) {
            return try time_s(PayloadFields(line[..<end] + [UInt8(ascii: "}")]))
        }
        return try time_s(PayloadFields(Array(line)))
    }

    private static func time_s(_ fields: PayloadFields) throws(PayloadError) -> Double {
        var fields = fields
        return try fields.number("t", 0...1e9)
    }

    /// Reads what `pieces` wrote, as far as it matters to who takes it in.
    ///
    /// - Returns: seconds since the first record, the topic, and the payload; `nil` for a message that clears its topic.
    package static func read(
        _ line: [UInt8]
    ) throws(PayloadError) -> (t_s: Double, topic: String, payload: PayloadFields?) {
        var fields = try PayloadFields(line)
        let (t_s, topic) = (try time_s(fields), try fields.text("topic"))
        if fields.isNull("payload") { return (t_s, topic, nil) }
        return (t_s, topic, try fields.object("payload") { fields in fields })
    }
}
