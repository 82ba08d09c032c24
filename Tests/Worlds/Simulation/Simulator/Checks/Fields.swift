/// The fields of a flat JSON object, as far as the checks need them.
struct Fields {
    private let text: String.UTF8View

    init(_ payload: [UInt8]) { text = String(decoding: payload, as: UTF8.self).utf8 }

    func string(_ key: String) -> String? {
        value(of: key).map { String(decoding: $0.drop { $0 == UInt8(ascii: "\"") }, as: UTF8.self) }
            .map { $0.hasSuffix("\"") ? String($0.dropLast()) : $0 }
    }

    func number(_ key: String) -> Int64? { string(key).flatMap { Int64($0) } }

    func decimal(_ key: String) -> Double? { string(key).flatMap { Double($0) } }

    /// What stands behind `"key":`, up to the next comma or brace.
    private func value(of key: String) -> Array<UInt8>.SubSequence? {
        let octets = Array(text)
        let wanted = Array("\"\(key)\":".utf8)
        guard octets.count > wanted.count else { return nil }
        for start in 0...(octets.count - wanted.count) where octets[start] == wanted[0] {
            guard octets[start..<start + wanted.count].elementsEqual(wanted) else { continue }
            let value = octets[(start + wanted.count)...]
            return value.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
        }
        return nil
    }
}
