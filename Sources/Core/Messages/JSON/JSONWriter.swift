/// Writes one JSON object, key by key, in the given order.
///
/// Subscribers and tests compare messages, so equal values must give equal octets. Numbers have at most a fixed number
/// of decimals, and no zeros at the end.
package struct JSONWriter {
    private var text = JSONText()
    private var isFirst = true
    /// The last UUID and its text: the beacons of a list mostly have the same one.
    private var writtenUUID: (uuid: ProximityUUID, text: [UInt8])?

    init() { text.append(UInt8(ascii: "{")) }

    /// Ends the object and returns its octets.
    mutating func finish() -> [UInt8] {
        text.append(UInt8(ascii: "}"))
        return text.finish()
    }

    /// Returns the octets without the object's end, for a caller that goes on.
    fileprivate mutating func finishUnended() -> [UInt8] { text.finish() }

    mutating func set(_ key: StaticString, _ value: String) {
        self.key(key)
        text.append(quoted: value)
    }

    mutating func set(_ key: StaticString, _ value: some BinaryInteger) {
        self.key(key)
        if value < 0 { text.append(UInt8(ascii: "-")) }
        text.append(UInt64(clamping: value.magnitude))
    }

    /// Writes a UUID, upper case with dashes.
    mutating func set(_ key: StaticString, _ uuid: ProximityUUID) {
        self.key(key)
        if let writtenUUID, writtenUUID.uuid == uuid {
            text.append(writtenUUID.text)
            return
        }
        let written = Array("\"\(uuid)\"".utf8)
        text.append(written)
        writtenUUID = (uuid, written)
    }

    mutating func set(_ key: StaticString, _ value: Bool) {
        self.key(key)
        text.append(value ? "true" : "false")
    }

    /// - Parameters:
    /// - value: the number. `nil` and values that are not finite become `null`.
    /// - decimals: the most decimals, 0 to 6.
    mutating func set(_ key: StaticString, _ value: Double?, decimals: Int) {
        self.key(key)
        if let value, value.isFinite { text.append(value, decimals: decimals) } else { text.append("null") }
    }

    /// Writes an object in place.
    mutating func set(_ key: StaticString, write: (inout JSONWriter) -> Void) {
        self.key(key)
        object { json in write(&json) }
    }

    private mutating func object(_ write: (inout JSONWriter) -> Void) {
        text.append(UInt8(ascii: "{"))
        isFirst = true
        write(&self)
        isFirst = false
        text.append(UInt8(ascii: "}"))
    }

    /// Writes a list of objects, each in place.
    mutating func set<Element>(
        _ key: StaticString, objectsFor elements: some Sequence<Element>, write: (Element, inout JSONWriter) -> Void
    ) {
        list(key, elements) { element, json in json.object { json in write(element, &json) } }
    }

    /// Reserves room for `count` more octets.
    mutating func reserve(octets count: Int) { text.reserve(count) }

    mutating func set(_ key: StaticString, strings: some Sequence<String>) {
        list(key, strings) { string, json in json.text.append(quoted: string) }
    }

    mutating func set(_ key: StaticString, integers: [Int64]) {
        list(key, integers) { integer, json in json.text.append(Array(String(integer).utf8)) }
    }

    private mutating func list<Element>(
        _ key: StaticString, _ elements: some Sequence<Element>, write: (Element, inout JSONWriter) -> Void
    ) {
        self.key(key)
        text.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            write(element, &self)
        }
        text.append(UInt8(ascii: "]"))
    }

    /// - Parameter integer: `nil` becomes `null`.
    mutating func set(_ key: StaticString, integer: Int64?) {
        if let integer { set(key, integer) } else { set(key, nil, decimals: 0) }
    }

    mutating func set(_ key: StaticString, object: [UInt8]) {
        self.key(key)
        text.append(object)
    }

    /// Writes a number under a key that is not known beforehand.
    mutating func set(_ key: String, count: UInt64) {
        if !isFirst { text.append(UInt8(ascii: ",")) }
        isFirst = false
        text.append(quoted: key)
        text.append(UInt8(ascii: ":"))
        text.append(count)
    }

    private mutating func key(_ key: StaticString) {
        if !isFirst { text.append(UInt8(ascii: ",")) }
        isFirst = false
        text.append(key: key)
    }

    /// Returns the number with at most the given decimals, rounded half away from zero: `-63.4`, `2`, `0.05`.
    static func decimal(_ value: Double, decimals: Int) -> String {
        var text = JSONText()
        text.append(value, decimals: decimals)
        return String(decoding: text.finish(), as: UTF8.self)
    }
}

/// The octets of a JSON text, which grows at its end by keys, numbers and strings.
///
/// Each octet is written into a chunk of fixed length, and the array gets whole chunks. An array tests at each octet
/// whether it is shared and long enough, which takes longer than to write the octet.
private struct JSONText {
    private static let chunkLength = 256

    private var octets: [UInt8] = []
    /// The text behind `octets`, of which the first `length` octets count.
    private var chunk = InlineArray<256, UInt8>(repeating: 0)
    private var length = 0

    /// Returns the octets and begins anew. They are not copied: a store's list has some MiB.
    mutating func finish() -> [UInt8] {
        empty()
        defer { octets = [] }
        return octets
    }

    /// Reserves room for so many more octets.
    mutating func reserve(_ count: Int) { octets.reserveCapacity(octets.count + length + count) }

    /// Empties the chunk.
    private mutating func empty() {
        let count = length
        withUnsafeBytes(of: chunk) { octets.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        length = 0
    }

    /// Makes room for so many octets in the chunk, of which it holds `chunkLength`.
    @inline(__always)
    private mutating func makeRoom(_ count: Int) {
        if length + count > Self.chunkLength { empty() }
    }

    @inline(__always)
    mutating func append(_ octet: UInt8) {
        makeRoom(1)
        chunk[length] = octet
        length += 1
    }

    mutating func append(_ more: UnsafeBufferPointer<UInt8>) {
        makeRoom(more.count)
        guard more.count <= Self.chunkLength else { return octets.append(contentsOf: more) }
        let start = length
        withUnsafeMutableBytes(of: &chunk) { $0[start..<(start + more.count)].copyBytes(from: more) }
        length += more.count
    }

    mutating func append(_ more: [UInt8]) { more.withUnsafeBufferPointer { append($0) } }

    mutating func append(_ word: StaticString) { word.withUTF8Buffer { append($0) } }

    /// Appends a key without escaping: keys are the agent's own words, and most of a message.
    mutating func append(key: StaticString) {
        append(UInt8(ascii: "\""))
        append(key)
        append(UInt8(ascii: "\""))
        append(UInt8(ascii: ":"))
    }

    /// - Parameter decimals: the most decimals, 0 to 6.
    mutating func append(_ value: Double, decimals: Int) {
        var decimals = min(max(decimals, 0), 7)
        var divisor: UInt64 = 1
        for _ in 0..<decimals { divisor *= 10 }
        // No published value comes near this. A larger one would not fit the integer below.
        let scaled = (min(max(value, -1e12), 1e12) * Double(divisor)).rounded()
        let magnitude = UInt64(abs(scaled))
        if scaled < 0 { append(UInt8(ascii: "-")) }
        append(magnitude / divisor)
        var fraction = magnitude % divisor
        if fraction == 0 { return }
        while fraction % 10 == 0 {
            fraction /= 10
            decimals -= 1
        }
        append(UInt8(ascii: "."))
        append(fraction, digits: decimals)
    }

    mutating func append(_ value: UInt64) {
        var (digits, rest) = (1, value)
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        append(value, digits: digits)
    }

    /// Appends the last digits of a number, with zeros in front if need be.
    private mutating func append(_ value: UInt64, digits: Int) {
        makeRoom(digits)
        var rest = value
        var index = length + digits
        while index > length {
            index -= 1
            chunk[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        length += digits
    }

    /// Appends a quoted string. Quotation mark, backslash and control characters are escaped (RFC 8259, 7).
    mutating func append(quoted string: String) {
        append(UInt8(ascii: "\""))
        let utf8 = string.utf8.span
        for index in utf8.indices {
            let octet = utf8[index]
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): append([UInt8(ascii: "\\"), octet])
            case 0x00..<0x20: append(Array("\\u00\([octet].hexadecimal)".utf8))
            default: append(octet)
            }
        }
        append(UInt8(ascii: "\""))
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
        let payload = message.payload.isEmpty ? Array("null".utf8) : message.payload
        return [json.finishUnended(), payload, Array("}\n".utf8)]
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
