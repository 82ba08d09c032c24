import Core

/// The owner of an outbox: one gateway of one site.
///
/// A new owner begins a new epoch, and does not use the former owner's records. The former owner's events still wait
/// for delivery. They wait apart from this owner's, so that neither holds up the other.
package protocol OutboxOwner: Sendable {
    /// The owner's name, which identifies it.
    var name: String { get }

    /// The owner of an event, by its topic; `nil` where the topic does not tell. Needed for a damaged file whose owner
    /// cannot be read.
    func owner(ofTopic topic: String) -> String?

    /// The records with which this owner begins where `former` left these.
    func legacy(of records: [OutboxRecord], leftBy former: String) -> [OutboxRecord]
}

/// Maps each older epoch with unsent events or gaps to the gateway that owned it.
struct EpochOwners: Hashable {
    /// The key under which a file names its owner.
    static let key = "owner"
    private static let prefix = key + "/"

    private var former: [String: String] = [:]

    init() {}

    /// Reads the owners from the values of a file.
    init(_ values: [OutboxRecord]) {
        for value in values where value.key.utf8.starts(with: Self.prefix.utf8) {
            former[String(value.key.dropFirst(Self.prefix.count))] = String(decoding: value.value, as: UTF8.self)
        }
    }

    /// The owners as values to store.
    var values: [OutboxRecord] {
        former.sorted { $0.key < $1.key }.map { OutboxRecord(key: Self.prefix + $0.key, value: Array($0.value.utf8)) }
    }

    /// Returns whether a value names an owner.
    static func isTheirs(_ key: String) -> Bool { key == Self.key || key.utf8.starts(with: prefix.utf8) }

    var isEmpty: Bool { former.isEmpty }

    /// The names of the epochs.
    var epochs: Set<String> { Set(former.keys) }

    /// The former owner of an epoch; `nil` where no other owner is known.
    func owner(of epoch: String) -> String? { former[epoch] }

    /// The end of the former owners' events among `events`, which are in order.
    func end(of events: [QueuedMessage]) -> Position {
        events.last { former[$0.number.epoch] != nil }?.position.next ?? .beforeAll
    }

    /// Assigns these epochs to `owner`, except those that an earlier owner had already left.
    mutating func leave(_ epochs: Set<String>, by owner: String) {
        for epoch in epochs where former[epoch] == nil { former[epoch] = owner }
    }

    /// Forgets every other epoch, of which nothing is left.
    mutating func forget(allBut epochs: Set<String>) { former = former.filter { epochs.contains($0.key) } }
}

/// The content of a file that tells its owner.
struct Inheritance {
    var values: [OutboxRecord]
    /// Topics of the oldest and the newest event of a damaged file.
    var topics: [String] = []
    /// The epochs of events, gaps or numbers that are left; none where the values name no other owner.
    var epochs: Set<String> = []
}
