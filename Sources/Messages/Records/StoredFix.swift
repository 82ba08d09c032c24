public import Location

/// A fix that waits to be told with others, as it outlives the process: the fields that messages have, in JSON.
public enum StoredFix {
    /// No region id has a slash in it, so this is the key of no state.
    private static let prefix = "/fix/"
    private static let digits = 10

    /// - Parameter index: keys of a later fix are later in the order of text.
    public static func key(_ index: Int) -> String {
        let number = String(max(index, 0))
        return prefix + String(repeating: "0", count: max(0, digits - number.utf8.count)) + number
    }

    /// The index in a key; `nil` for that of another record.
    public static func index(ofKey key: String) -> Int? {
        key.hasPrefix(prefix) ? Int(key.dropFirst(prefix.count)) : nil
    }

    public static func encoded(_ fix: Fix) -> [UInt8] {
        var json = JSONWriter()
        fix.write(to: &json)
        return json.object
    }

    /// `nil` for what was not written by `encoded`.
    public static func read(_ value: [UInt8]) -> Fix? {
        guard var fields = try? PayloadFields(value) else { return nil }
        return try? Fix(&fields)
    }
}
