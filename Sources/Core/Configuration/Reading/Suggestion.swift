/// Suggestions for unknown keys and tables.
package enum Suggestion {
    /// Returns the suggestion for an unknown key: the nearest key of the table, or the table that has the key, or all
    /// known keys.
    static func forKey(_ name: String, in table: ReferenceTable) -> String {
        let known = table.keys.map(\.name)
        if let other = ConfigurationReference.tables.first(where: { $0.keys.contains { $0.name == name } }) {
            return "unknown key; it belongs to \(other.heading)"
        }
        if let nearest = nearest(to: name, in: known) { return "unknown key; did you mean \(nearest)?" }
        return "unknown key; known are \(known.joined(separator: ", "))"
    }

    /// Returns the suggestion for an unknown table, or a key outside any table.
    static func forTable(_ name: String) -> String {
        let tables = ConfigurationReference.tables
        if let other = tables.first(where: { $0.keys.contains { $0.name == name } }) {
            return "unknown key; it belongs to \(other.heading)"
        }
        if let nearest = nearest(to: name, in: tables.map(\.name)),
            let table = tables.first(where: { $0.name == nearest })
        {
            return "unknown table; did you mean \(table.heading)?"
        }
        return "unknown table; known are \(tables.map(\.heading).joined(separator: ", "))"
    }

    /// Returns whether the value of an unknown key may be a misplaced secret.
    static func mayBeSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["pass", "pwd", "secret", "token", "irk", "key"].contains { name.contains($0) }
    }

    /// Returns the candidate that begins with the name, or with which the name begins. Otherwise, the candidate with
    /// the fewest changed letters, if they are few for the length of the name.
    package static func nearest(to name: String, in candidates: [String]) -> String? {
        let letters = Array(name.lowercased().utf8)
        guard letters.count <= 64 else { return nil }
        let related = candidates.first {
            letters.count >= 3 && $0.utf8.starts(with: letters) || $0.utf8.count >= 3 && letters.starts(with: $0.utf8)
        }
        if let related { return related }
        let allowed = letters.count < 4 ? 1 : max(2, letters.count / 3)
        return candidates.map { (candidate: $0, distance: distance(letters, Array($0.utf8))) }
            .filter { $0.distance <= allowed }
            .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }?.candidate
    }

    /// Returns the edit distance, in which two neighbours that changed places are one edit. The table is kept as its last
    /// two rows.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var former: [Int] = []
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var next = [i + 1]
            for (j, b) in right.enumerated() {
                var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { least = min(least, former[j - 1] + 1) }
                next.append(least)
            }
            (former, row) = (row, next)
        }
        return row.last ?? left.count
    }
}
