import Core

/// Whose the epochs are that a former owner of the outbox has left events or gaps of.
struct EpochOwners: Hashable {
    /// The value that names the owner of a file.
    static let key = "owner"
    private static let prefix = key + "/"

    private var former: [String: String] = [:]

    init() {}

    /// What stands among the values of a file.
    init(_ values: [OutboxRecord]) {
        for value in values where value.key.utf8.starts(with: Self.prefix.utf8) {
            former[String(value.key.dropFirst(Self.prefix.count))] = String(decoding: value.value, as: UTF8.self)
        }
    }

    /// How they are stored.
    var values: [OutboxRecord] {
        former.sorted { $0.key < $1.key }.map { OutboxRecord(key: Self.prefix + $0.key, value: Array($0.value.utf8)) }
    }

    /// Whether a value is one of these.
    static func isTheirs(_ key: String) -> Bool { key == Self.key || key.utf8.starts(with: prefix.utf8) }

    var isEmpty: Bool { former.isEmpty }

    /// The names of the epochs.
    var epochs: Set<String> { Set(former.keys) }

    /// The former owner of an epoch; `nil` for one that is not known to have had another.
    func owner(of epoch: String) -> String? { former[epoch] }

    /// Where the events of former owners end among `events`, which are in order.
    func end(of events: [QueuedMessage]) -> Position {
        events.last { former[$0.number.epoch] != nil }?.position.next ?? .beforeAll
    }

    /// `owner` leaves these epochs, but for those that an earlier one had left already.
    mutating func leave(_ epochs: Set<String>, by owner: String) {
        for epoch in epochs where former[epoch] == nil { former[epoch] = owner }
    }

    /// Nothing is left of any other epoch.
    mutating func forget(allBut epochs: Set<String>) { former = former.filter { epochs.contains($0.key) } }
}

/// What stands in a file that bears on whose it is.
struct Inheritance {
    var values: [OutboxRecord]
    /// Those of the oldest and the newest event; none where the values say it all.
    package var topics: [String] = []
    /// The epochs that events, gaps or numbers are left of; none where the values know of no other owner.
    var epochs: Set<String> = []
}
