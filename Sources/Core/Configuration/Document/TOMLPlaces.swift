/// Where the keys of a document stand, by their paths as errors name them: `mqtt.url`, `region[2].uuid`.
///
/// Only errors ask for it, so a document is read for it once more when there are any, and costs nothing otherwise.
struct TOMLPlaces {
    /// Octets from the start of the text; of what stands there several times, the first.
    private var offsets: [String: Int] = [:]
    /// How many tables each heading in double brackets has opened.
    private var counts: [String: Int] = [:]
    private var table: String?

    /// A heading opens a table.
    mutating func open(_ path: [String], isRepeated: Bool, at offset: Int) {
        let name = Self.joined(path)
        note(name, at: offset)
        table = name
        guard isRepeated else { return }
        let number = (counts[name] ?? 0) + 1
        counts[name] = number
        table = "\(name)[\(number)]"
        note("\(name)[\(number)]", at: offset)
    }

    /// A key of the table that was opened last.
    mutating func set(_ path: [String], at offset: Int) {
        let name = Self.joined(path)
        note(table.map { "\($0).\(name)" } ?? name, at: offset)
    }

    /// Where a key stands. Of one that is missing, or stands within another's value, the place of what it belongs to; `nil`
    /// where the text has nothing of it.
    func offset(of key: String) -> Int? {
        var path = Substring(key)
        while !path.isEmpty {
            if let offset = offsets[String(path)] { return offset }
            path = path.lastIndex { $0 == "." || $0 == "[" }.map { path[..<$0] } ?? ""
        }
        return nil
    }

    private mutating func note(_ path: String, at offset: Int) {
        if offsets[path] == nil { offsets[path] = offset }
    }

    private static func joined(_ path: [String]) -> String {
        path.map(ConfigurationReference.path).joined(separator: ".")
    }
}
