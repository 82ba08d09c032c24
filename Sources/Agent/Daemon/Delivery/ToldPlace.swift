import Core

/// What was told of the gateway's place, and what is stored of it until it is.
struct ToldPlace {
    /// What a status says; `nil` where the configuration says nothing of the place.
    var status: LocationStatus?
    /// The records of fixes that wait to be told together, oldest first.
    private var fixKeys: [String] = []

    init(_ records: [OutboxRecord], status: LocationStatus?) {
        self.status = status
        fixKeys = records.map(\.key).filter(StoredFix.isKey).sorted()
    }

    /// The key for one more fix.
    mutating func keep(_ fix: Fix) -> String {
        let key = StoredFix.key(fix, fixKeys.count)
        fixKeys.append(key)
        return key
    }

    /// They are told: their records can go.
    mutating func takeFixKeys() -> [String] {
        defer { fixKeys = [] }
        return fixKeys
    }
}
