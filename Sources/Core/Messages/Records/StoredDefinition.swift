/// How a region that a request registered is stored, so that it outlives the process: the request's own text.
package enum StoredDefinition {
    /// No region id has a slash in it, so this is the key of no state.
    private static let prefix = "/monitor/"

    package static func key(_ region: String) -> String { prefix + region }

    /// The definition in a record; `nil` for any other record, and for one that is damaged.
    package static func read(_ octets: [UInt8], key: String) -> RegionDefinition? {
        guard key.utf8.starts(with: prefix.utf8) else { return nil }
        return try? RegionDefinition(text: octets)
    }
}
