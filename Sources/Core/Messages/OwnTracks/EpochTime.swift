/// The time that the name of an epoch tells. The names are ULIDs: ten digits of base 32 for the milliseconds since 1970, and sixteen that
/// are random.
enum EpochTime {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// When the epoch began; `nil` for a name of another form.
    static func beginning(ofEpoch name: String) -> WallTime? {
        let values = name.utf8.compactMap { digits.firstIndex(of: $0) }
        // Ten digits have 50 bits, and a time has 48.
        guard name.utf8.count == 26, values.count == 26, let first = values.first, first < 8 else { return nil }
        let milliseconds = values.prefix(10).reduce(Int64(0)) { $0 << 5 | Int64($1) }
        return WallTime(microseconds: milliseconds * 1_000)
    }
}
