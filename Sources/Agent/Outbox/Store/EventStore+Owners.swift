/// Whose what is in the file.
extension EventStore {
    /// What bears on whose the file is. What the values say already is not looked for in the events.
    func inheritance(_ meta: Meta, for owner: String?) throws(DiskError) -> Inheritance {
        var inheritance = Inheritance(values: try contents(of: .value))
        let named = inheritance.values.filter { EpochOwners.isTheirs($0.key) }
        guard let owner, named.map(\.key) != [EpochOwners.key] || named.map(\.value) != [Array(owner.utf8)] else {
            return inheritance
        }
        for order in ["ASC", "DESC"] {
            try database.query("SELECT content FROM event ORDER BY position \(order) LIMIT 1") {
                (row: Statement) throws(DiskError) in
                guard let (topic, _) = EventText.read(row.bytes(0), model) else { throw Self.damage("read an event") }
                inheritance.topics.append(topic)
                return false
            }
        }
        inheritance.epochs = Set(try gaps().map(\.epoch) + [meta.numbering.epoch])
        try database.query("SELECT DISTINCT epoch FROM event") { row in
            inheritance.epochs.insert(name(ofEpoch: row.integer(0)))
            return true
        }
        return inheritance
    }

    /// The position of the last event of these epochs, as in the file; `nil` where there is none.
    func last(of owners: EpochOwners) throws(DiskError) -> Int64? {
        var last: Int64?
        for epoch in owners.epochs.sorted() {
            guard let number = number(ofKnownEpoch: epoch) else { continue }
            try database.query("SELECT max(position) FROM event WHERE epoch = ?1", .integer(number)) { row in
                if Self.numbers.contains(row.integer(0)) { last = max(last ?? 0, row.integer(0)) }
                return false
            }
        }
        return last
    }

    /// Replaces what the file says of its owner, and of former ones.
    func write(_ owners: EpochOwners, owner: String) throws(DiskError) {
        for value in try contents(of: .value) where EpochOwners.isTheirs(value.key) {
            try put(nil, forKey: value.key, in: .value)
        }
        for value in owners.values + [OutboxRecord(key: EpochOwners.key, value: Array(owner.utf8))] {
            try put(value.value, forKey: value.key, in: .value)
        }
    }
}
