/// How it is stored that a topic is to be cleared which another gateway has retained: the one that this one was before it
/// was moved. There is nothing to know but the topic.
public enum StoredClearance {
    /// No region id has a slash in it, so this is the key of no state.
    private static let prefix = "/clear/"

    public static func key(_ topic: String) -> String { prefix + topic }

    /// The topic that is to be cleared; `nil` for any other record.
    public static func topic(ofKey key: String) -> String? {
        key.utf8.starts(with: prefix.utf8) ? String(key.dropFirst(prefix.count)) : nil
    }
}
