import Messages
import Outbox
import Regions

/// What stands in the outbox beside the events: the last record under every key, in case the file is lost, and which of
/// them go once the broker has cleared their region's state.
///
/// A record that outlives its region until then lets a broker which is away now get the clearing later, be it from another
/// process: at the start such a record is what tells that there is something to clear.
struct RecordBook {
    private var records: [String: [UInt8]]
    /// The key of every record that is to go, by the topic that has to be cleared first.
    private var abandoned: [String: String] = [:]

    init(_ records: [OutboxRecord]) {
        self.records = Dictionary(records.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Every record, by key.
    var all: [OutboxRecord] {
        records.sorted { $0.key < $1.key }.map { OutboxRecord(key: $0.key, value: $0.value) }
    }

    /// Takes down what was committed.
    mutating func note(_ transaction: OutboxTransaction) {
        for record in transaction.records { records[record.key] = record.value }
        for key in transaction.removedRecords { records[key] = nil }
    }

    /// An instance is monitored no more: its record goes once its state is cleared.
    mutating func abandon(_ instance: RegionInstanceID, topics: TopicTree) {
        abandoned[topics.state(instance)] = StoredRegion.key(instance)
    }

    /// An instance is monitored, perhaps again: its record stays.
    mutating func keep(_ instance: RegionInstanceID, topics: TopicTree) {
        abandoned[topics.state(instance)] = nil
    }

    /// What an earlier region of that id has left behind: the next one begins without it.
    func abandonedKeys(of region: String) -> [String] {
        abandoned.values.filter { StoredRegion.instance(ofKey: $0)?.region == region }
    }

    /// The keys of the records that go, now that the broker has cleared these topics.
    mutating func takeKeys(clearedTopics: [String]) -> [String] {
        clearedTopics.compactMap { abandoned.removeValue(forKey: $0) }
    }
}
