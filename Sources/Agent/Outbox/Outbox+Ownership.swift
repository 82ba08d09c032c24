import Core

extension Outbox {
    /// Whose the epoch of a gap is: the name of a former owner, or `nil` for this one.
    func formerOwner(ofEpoch epoch: String) -> String? { bookkeeping.owners.owner(of: epoch) }

    /// Whether a former owner may have left events or gaps.
    package var hasFormerOwner: Bool { bookkeeping.formerEnd > .beforeAll || !bookkeeping.owners.isEmpty }

    /// Takes down whose everything in a file is.
    ///
    /// - Returns: the owner that left it, where that is another one.
    func inherit(_ inheritance: Inheritance, _ next: inout Bookkeeping) -> String? {
        guard let owner else { return nil }
        let stored = inheritance.values.first { $0.key == EpochOwners.key }
            .map { String(decoding: $0.value, as: UTF8.self) }
        next.owners = EpochOwners(inheritance.values)
        next.owners.forget(allBut: inheritance.epochs)
        let named = stored ?? inheritance.topics.compactMap(owner.owner).first { $0 != owner.name }
        let former = named == owner.name ? nil : named
        if let former { next.owners.leave(inheritance.epochs, by: former) }
        next.areOwnersChanged = stored != owner.name || next.owners != EpochOwners(inheritance.values)
        return former
    }

    /// Has what is known now take the place of what `former` left, where nothing newer has.
    func takeOver(_ records: [OutboxRecord], _ values: [OutboxRecord], from former: String) {
        guard let owner else { return }
        let kept = owner.legacy(of: records, leftBy: former)
        pending.fill(records: kept, values: [])
        pending.remove(
            records: records.map(\.key), values: values.map(\.key).filter { !EpochOwners.isTheirs($0) })
        recordsAtStart = mode.meeting == .atStart ? kept : []
        reports.say(
            "outbox: this was \(former) and is \(owner.name) now: a new epoch begins, and regions settle anew; what "
                + "\(former) left is delivered and cleared under its own topics, where the broker allows it")
    }
}

/// Whose an outbox is.
///
/// What another owner has left means nothing to this one: a new epoch begins, and nothing goes on from its records. Its
/// events still wait for delivery, apart from this owner's own, so that neither holds up the other.
package protocol OutboxOwner: Sendable {
    /// Names the owner: two of one name are one.
    var name: String { get }

    /// The owner that an event speaks for, by its topic; `nil` where that can't be told. Asked of a file that does not say
    /// whose it is, as those of earlier versions.
    func owner(ofTopic topic: String) -> String?

    /// The records that this owner begins with where `former` left these.
    func legacy(of records: [OutboxRecord], leftBy former: String) -> [OutboxRecord]
}

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
