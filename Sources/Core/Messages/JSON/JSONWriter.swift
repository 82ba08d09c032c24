/// Writes one JSON object, key by key, in the given order.
///
/// Subscribers and tests compare messages, so equal values must give equal octets. Numbers have at most a fixed number
/// of decimals, and no zeros at the end.
package struct JSONWriter {
    private(set) var octets: [UInt8] = [UInt8(ascii: "{")]
    private var isFirst = true
    /// The last UUID and its text: the beacons of a list mostly have the same one.
    private var writtenUUID: (uuid: ProximityUUID, text: [UInt8])?

    init() {}

    /// Ends the object and returns its octets. They are not copied: a store's list has some MiB.
    mutating func finish() -> [UInt8] {
        octets.append(UInt8(ascii: "}"))
        defer { octets = [] }
        return octets
    }

    mutating func set(_ key: StaticString, _ value: String) {
        self.key(key)
        Self.append(quoted: value, to: &octets)
    }

    mutating func set(_ key: StaticString, _ value: some BinaryInteger) {
        self.key(key)
        if value < 0 { octets.append(UInt8(ascii: "-")) }
        Self.append(UInt64(clamping: value.magnitude), to: &octets)
    }

    /// Writes a UUID, upper case with dashes.
    mutating func set(_ key: StaticString, _ uuid: ProximityUUID) {
        self.key(key)
        if let writtenUUID, writtenUUID.uuid == uuid {
            octets += writtenUUID.text
            return
        }
        let text = Array("\"\(uuid)\"".utf8)
        octets += text
        writtenUUID = (uuid, text)
    }

    mutating func set(_ key: StaticString, _ value: Bool) {
        self.key(key)
        octets += (value ? "true" : "false").utf8
    }

    /// - Parameters:
    /// - value: the number. `nil` and values that are not finite become `null`.
    /// - decimals: the most decimals, 0 to 6.
    mutating func set(_ key: StaticString, _ value: Double?, decimals: Int) {
        self.key(key)
        guard let value, value.isFinite else {
            octets += "null".utf8
            return
        }
        Self.append(value, decimals: decimals, to: &octets)
    }

    /// Writes an object in place.
    mutating func set(_ key: StaticString, write: (inout JSONWriter) -> Void) {
        self.key(key)
        object { json in write(&json) }
    }

    private mutating func object(_ write: (inout JSONWriter) -> Void) {
        octets.append(UInt8(ascii: "{"))
        isFirst = true
        write(&self)
        isFirst = false
        octets.append(UInt8(ascii: "}"))
    }

    /// Writes a list of objects, each in place.
    mutating func set<Element>(
        _ key: StaticString, objectsFor elements: some Sequence<Element>, write: (Element, inout JSONWriter) -> Void
    ) {
        self.key(key)
        octets.append(UInt8(ascii: "["))
        var isFirstElement = true
        for element in elements {
            if !isFirstElement { octets.append(UInt8(ascii: ",")) }
            isFirstElement = false
            object { json in write(element, &json) }
        }
        octets.append(UInt8(ascii: "]"))
    }

    /// Reserves room for `count` more octets.
    mutating func reserve(octets count: Int) { octets.reserveCapacity(octets.count + count) }

    mutating func set(_ key: StaticString, strings: some Sequence<String>) {
        self.key(key)
        octets.append(UInt8(ascii: "["))
        var isFirst = true
        for string in strings {
            if !isFirst { octets.append(UInt8(ascii: ",")) }
            isFirst = false
            Self.append(quoted: string, to: &octets)
        }
        octets.append(UInt8(ascii: "]"))
    }

    mutating func set(_ key: StaticString, integers: [Int64]) {
        self.key(key)
        octets += ("[" + integers.map { String($0) }.joined(separator: ",") + "]").utf8
    }

    /// - Parameter integer: `nil` becomes `null`.
    mutating func set(_ key: StaticString, integer: Int64?) {
        self.key(key)
        octets += (integer.map { String($0) } ?? "null").utf8
    }

    mutating func set(_ key: StaticString, object: [UInt8]) {
        self.key(key)
        octets += object
    }

    /// Writes a number under a key that is not known beforehand.
    mutating func set(_ key: String, count: UInt64) {
        if !isFirst { octets.append(UInt8(ascii: ",")) }
        isFirst = false
        Self.append(quoted: key, to: &octets)
        octets.append(UInt8(ascii: ":"))
        Self.append(count, to: &octets)
    }

    /// Writes a key without escaping: keys are the agent's own words, and most of a message.
    private mutating func key(_ key: StaticString) {
        if !isFirst { octets.append(UInt8(ascii: ",")) }
        isFirst = false
        octets.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { octets.append(contentsOf: $0) }
        octets.append(UInt8(ascii: "\""))
        octets.append(UInt8(ascii: ":"))
    }

    /// Returns the number with at most the given decimals, rounded half away from zero: `-63.4`, `2`, `0.05`.
    static func decimal(_ value: Double, decimals: Int) -> String {
        var octets: [UInt8] = []
        append(value, decimals: decimals, to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }

    private static func append(_ value: Double, decimals: Int, to octets: inout [UInt8]) {
        var divisor: UInt64 = 1
        for _ in 0..<min(max(decimals, 0), 7) { divisor *= 10 }
        // No published value comes near this. A larger one would not fit the integer below.
        let scaled = (min(max(value, -1e12), 1e12) * Double(divisor)).rounded()
        let magnitude = UInt64(abs(scaled))
        if scaled < 0 { octets.append(UInt8(ascii: "-")) }
        append(magnitude / divisor, to: &octets)
        var fraction = magnitude % divisor
        if fraction == 0 { return }
        octets.append(UInt8(ascii: "."))
        while fraction > 0 {
            divisor /= 10
            octets.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / divisor))
            fraction %= divisor
        }
    }

    private static func append(_ value: UInt64, to octets: inout [UInt8]) {
        var divisor: UInt64 = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            octets.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends a quoted string. Quotation mark, backslash and control characters are escaped (RFC 8259, 7).
    static func append(quoted text: String, to octets: inout [UInt8]) {
        octets.append(UInt8(ascii: "\""))
        defer { octets.append(UInt8(ascii: "\"")) }
        let utf8 = text.utf8.span
        var needsEscape = false
        for index in utf8.indices {
            let octet = utf8[index]
            if octet < 0x20 || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { needsEscape = true }
        }
        guard needsEscape else {
            utf8.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
            return
        }
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                octets.append(UInt8(ascii: "\\"))
                octets.append(octet)
            case 0x00..<0x20:
                let digits = String(octet, radix: 16)
                octets += (digits.utf8.count == 1 ? "\\u000" : "\\u00").utf8
                octets += digits.utf8
            default:
                octets.append(octet)
            }
        }
    }
}

/// A message as one line of JSON, as in the output of `beacond replay`.
package enum JSONLine {
    /// Returns the line in pieces, because a store's list has some MiB. A message that clears its topic has the payload
    /// `null`.
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

    /// Returns the time of a line, in seconds since the first record. If the line begins with it, as those of `pieces`
    /// do, the rest is not read.
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

    /// Reads the parts of a line of `pieces` that a consumer needs.
    ///
    /// - Returns: seconds since the first record, the topic, and the payload; `nil` for a message that clears its
    ///   topic.
    package static func read(
        _ line: [UInt8]
    ) throws(PayloadError) -> (t_s: Double, topic: String, payload: PayloadFields?) {
        var fields = try PayloadFields(line)
        let (t_s, topic) = (try time_s(fields), try fields.text("topic"))
        if fields.isNull("payload") { return (t_s, topic, nil) }
        return (t_s, topic, try fields.object("payload") { fields in fields })
    }
}
