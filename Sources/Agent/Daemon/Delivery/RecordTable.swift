import Core

/// What stands in the outbox beside the events: the last record under every key, in case the file is lost.
struct RecordTable {
    private var records: [String: [UInt8]]

    init(_ records: [OutboxRecord]) {
        self.records = Dictionary(records.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Every record, by key.
    package var all: [OutboxRecord] {
        records.sorted { $0.key < $1.key }.map { OutboxRecord(key: $0.key, value: $0.value) }
    }

    /// Instances of a region that a record stands for.
    func instances(of region: String) -> [RegionInstanceID] {
        records.keys.sorted().compactMap { StoredRegion.instance(ofKey: $0) }.filter { $0.region == region }
    }

    package func has(_ record: OutboxRecord) -> Bool { records[record.key] == record.value }

    package func has(_ key: String) -> Bool { records[key] != nil }

    /// Takes down what was committed.
    mutating func note(_ transaction: OutboxTransaction) {
        for record in transaction.records { records[record.key] = record.value }
        for key in transaction.removedRecords { records[key] = nil }
    }
}
