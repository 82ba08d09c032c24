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
