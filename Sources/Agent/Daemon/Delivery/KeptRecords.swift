import Core

/// Records of regions that another version of the agent has stored and this one can't read: another kind of region, or a
/// version of the line that is not known here.
///
/// To read them as no record would clear the region's state and lose a stay under way. So they stay as they are, for the version
/// that can read them, until that is started again or an operator removes them.
struct KeptRecords {
    private let tags: [String: StoredTag]

    /// - Parameter tags: what each says it is, by key.
    init(_ tags: [String: StoredTag]) { self.tags = tags }

    package func has(_ key: String) -> Bool { tags[key] != nil }

    /// Takes out of a transaction what would change them.
    func spare(in transaction: inout OutboxTransaction) {
        guard !tags.isEmpty else { return }
        transaction.records.removeAll { has($0.key) }
        transaction.removedRecords.removeAll { has($0) }
    }

    /// What the operator is told, a line for each region.
    var notices: [String] {
        Dictionary(grouping: tags.keys) { $0.prefix { $0 != "/" } }.sorted { $0.key < $1.key }.map { region, keys in
            let said = Set(keys.compactMap { tags[$0] }.map(\.description)).sorted().joined(separator: ", ")
            return
                "region \"\(region)\": what is stored of it (\(said)) is another version's: it is kept for that one, and "
                + "nothing is stored of the region here"
        }
    }
}
