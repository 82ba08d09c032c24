/// How it is stored that the broker keeps something which a later process may have to clear: what a former gateway has retained, and what is
/// told beside regions' states. There is nothing to know but the topic.
package enum StoredClearance {
    /// No region id has a slash in it, so this is the key of no state.
    private static let prefix = "/clear/"

    package static func key(_ topic: String) -> String { prefix + topic }

    /// The topic that may have to be cleared; `nil` for any other record.
    package static func topic(ofKey key: String) -> String? {
        key.utf8.starts(with: prefix.utf8) ? String(key.dropFirst(prefix.count)) : nil
    }
}
