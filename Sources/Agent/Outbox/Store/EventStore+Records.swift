import Core

/// Region states, small values and gaps in the file.
extension EventStore {
    /// The two tables of keys and values.
    enum Table: String {
        case record, value
    }

    /// Stores `value` under `key`; `nil` removes the key.
    func put(_ value: [UInt8]?, forKey key: String, in table: Table) throws(DiskError) {
        guard let value else {
            return try database.run("DELETE FROM \(table.rawValue) WHERE key = ?1", .text(key))
        }
        let stored = table == .record ? try coded(value, isMessage: false) : value
        try database.run("INSERT OR REPLACE INTO \(table.rawValue) VALUES (?1, ?2)", .text(key), .blob(stored))
    }

    /// Every key and value of `table`, by key.
    func contents(of table: Table) throws(DiskError) -> [OutboxRecord] {
        var records: [OutboxRecord] = []
        try database.query("SELECT key, value FROM \(table.rawValue) ORDER BY key") {
            (row: Statement) throws(DiskError) in
            guard let value = table == .record ? model.decode(row.bytes(1)) : row.bytes(1) else {
                throw Self.damage("read a record")
            }
            records.append(OutboxRecord(key: row.text(0), value: value))
            return true
        }
        return records
    }

    package func value(forKey key: String) throws(DiskError) -> [UInt8]? {
        var value: [UInt8]?
        try database.query("SELECT value FROM value WHERE key = ?1", .text(key)) { row in
            value = row.bytes(0)
            return false
        }
        return value
    }

    func gaps() throws(DiskError) -> [OutboxGap] {
        var gaps: [OutboxGap] = []
        try database.query("SELECT epoch, from_seq, to_seq, cause, kind FROM gap ORDER BY id") { row in
            guard let series = NumberSeries(rawValue: row.integer(4)), Self.numbers.contains(row.integer(1)),
                (row.integer(1)...Self.numbers.upperBound).contains(row.integer(2))
            else { return true }
            gaps.append(
                OutboxGap(
                    epoch: row.text(0), series: series, fromSeq: row.integer(1), toSeq: row.integer(2),
                    cause: OutboxGap.Cause(rawValue: row.text(3)) ?? .disk))
            return true
        }
        return gaps
    }

    /// Replaces the stored gaps. Gaps are few and rare.
    func write(_ gaps: [OutboxGap]) throws(DiskError) {
        try database.execute("DELETE FROM gap")
        for gap in gaps {
            try database.run(
                "INSERT INTO gap (epoch, from_seq, to_seq, cause, kind) VALUES (?1, ?2, ?3, ?4, ?5)",
                .text(gap.epoch), .integer(gap.fromSeq), .integer(gap.toSeq), .text(gap.cause.rawValue),
                .integer(gap.series.rawValue))
        }
    }
}

/// The owner of the file's content.
extension EventStore {
    /// Reads the file's owners. The epochs are read only where the values name another owner.
    func inheritance(_ meta: Meta, for owner: String?) throws(DiskError) -> Inheritance {
        var inheritance = Inheritance(values: try contents(of: .value))
        let named = inheritance.values.filter { EpochOwners.isTheirs($0.key) }
        guard let owner, named.map(\.key) != [EpochOwners.key] || named.map(\.value) != [Array(owner.utf8)] else {
            return inheritance
        }
        inheritance.epochs = Set(try gaps().map(\.epoch) + [meta.numbering.epoch])
        try database.query("SELECT DISTINCT epoch FROM event") { row in
            inheritance.epochs.insert(name(ofEpoch: row.integer(0)))
            return true
        }
        return inheritance
    }

    /// The file's position of the last event of these epochs; `nil` where there is none.
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

    /// Replaces the names of the file's owner and former owners.
    func write(_ owners: EpochOwners, owner: String) throws(DiskError) {
        for value in try contents(of: .value) where EpochOwners.isTheirs(value.key) {
            try put(nil, forKey: value.key, in: .value)
        }
        for value in owners.values + [OutboxRecord(key: EpochOwners.key, value: Array(owner.utf8))] {
            try put(value.value, forKey: value.key, in: .value)
        }
    }
}
