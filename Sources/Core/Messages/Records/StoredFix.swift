/// A fix that waits to be told with others, as it outlives the process: the fields that messages have, in JSON.
package enum StoredFix {
    /// No region id has a slash in it, so this is the key of no state.
    private static let prefix = "/fix/"
    /// Every time since 1970 has as many in microseconds, or fewer.
    private static let digits = 20

    /// The key of no other fix, which an earlier process may have kept and this one could not read: by time and number.
    ///
    /// - Parameter number: tells fixes of one time apart.
    package static func key(_ fix: Fix, _ number: Int) -> String {
        "\(prefix)\(padded(max(fix.at.microseconds, 0)))-\(padded(Int64(max(number, 0))))"
    }

    /// Whether a record is that of a fix. Their keys sort by time.
    package static func isKey(_ key: String) -> Bool { key.hasPrefix(prefix) }

    private static func padded(_ number: Int64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    package static func encoded(_ fix: Fix) -> [UInt8] {
        var json = JSONWriter()
        fix.write(to: &json)
        return json.finish()
    }

    /// `nil` for what was not written by `encoded`.
    package static func read(_ value: [UInt8]) -> Fix? {
        guard var fields = try? PayloadFields(value) else { return nil }
        return try? Fix(&fields)
    }
}
