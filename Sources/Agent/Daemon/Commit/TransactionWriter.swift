import Core

/// Turns the engine's outputs into a transaction of the outbox, and into the messages that follow it.
///
/// A transaction may have to be written again for another numbering. The writer's memory allows that, see
/// `EventLedger`; everything else is in the draft.
struct TransactionWriter {
    /// The composer remembers pseudonyms, so it changes as it writes.
    var composer: MessageComposer
    var ledger: EventLedger
    let bootID: String?
    /// The other formats of the messages; `nil` for none.
    let integrations: Integrations?
    /// The radio's status that was published last.
    var radio = MessageComposer.RadioStatus.replay

    /// - Parameters:
    ///   - records: the records before this transaction.
    ///   - kept: records that only another version may change.
    mutating func write(
        _ outputs: [GatewayOutput], _ records: RecordTable, _ kept: KeptRecords, into draft: inout TransactionDraft
    ) {
        for output in outputs {
            switch output {
            case .transition(let transition, let record): write(transition, record, records, into: &draft)
            case .message(let announcement, let at):
                write(announcement.content, at: at, records, into: &draft)
            case .exit(let instance, let event, let at):
                let number = draft.numbering.number(of: .events)
                let message = ledger.exit(
                    event, of: instance, epoch: number.epoch, seq: number.seq, at: at, draft.timebase)
                // OwnTracks and the stored state know only the present, so they take nothing of a late visit.
                if event.lateStay == nil {
                    integrations?.publishCompanions(of: message, at: at, into: &draft)
                    // The end is published once, however long the broker takes to clear the state.
                    draft.transaction.store(.withoutState(of: instance))
                }
                draft.commit(message, at: at)
            case .radio(let radio, let at):
                draft.published.coverage.log.record(radio, at: at)
            case .stays(let records):
                draft.transaction.records += records.map { stored($0, draft) }
                for record in records { draft.published.coverage.record(seen: record.lastHeardAt) }
            case .failure(let failure, let at):
                draft.dispatched.append(.init(at: at, content: .failure(failure)))
            case .notice(let notice, let at):
                draft.dispatched.append(.init(at: at, content: .notice(notice)))
            case .locationStatus(let status, let at):
                draft.published.place = status
                let message = composer.status(
                    isOnline: true, epoch: draft.numbering.epoch, radio: radio, location: status, at: at,
                    draft.timebase)
                draft.publish(message, at: at)
            case .registered(let definition, let region, _):
                draft.transaction.store(OutboxRecord(key: StoredDefinition.key(region), value: definition.text))
            case .settled(nil, let region, _): draft.transaction.remove([StoredSettling.key(region)])
            case .settled(let definition?, let region, _):
                draft.transaction.store(
                    OutboxRecord(key: StoredSettling.key(region), value: StoredSettling.encoded(definition)))
            case .unregistered(let region, let instances, let at):
                draft.transaction.remove([StoredDefinition.key(region), StoredSettling.key(region)])
                // The engine has no instance of a region that a limit refused, but an earlier process may have stored
                // some.
                let left = records.instances(of: region).filter {
                    !instances.contains($0) && !kept.has(StoredRegion.key($0))
                }
                for instance in instances + left { remove(instance, at: at, records, into: &draft) }
            case .forgotten(let instances, let at):
                for instance in instances { remove(instance, at: at, records, into: &draft) }
            }
        }
    }

    /// Writes the messages of one kind, and the records that belong to them.
    private mutating func write(
        _ content: any MessageContent, at now: Instant, _ records: RecordTable, into draft: inout TransactionDraft
    ) {
        let context = PublicationContext(
            at: now, draft.timebase, number: { [numbering = draft.numbering] in numbering.number(of: $0) },
            eventSeq: { [ledger] in ledger.eventSeq(of: $0) })
        var publication = content.publication(by: &composer, context)
        if let ownTracks = integrations?.ownTracks, !publication.items.isEmpty {
            publication.items += ownTracks.items(beside: content, by: composer, context)
        }
        draft.transaction.remove(publication.removedKeys)
        if let prefix = publication.removedPrefix {
            draft.transaction.remove(draft.keys(under: prefix, records))
        }
        for (key, value) in publication.records { draft.transaction.store(OutboxRecord(key: key, value: value)) }
        var retained: Set<String> = []
        for item in publication.items {
            switch item {
            case .numbered(let message):
                integrations?.publishCompanions(of: message, at: now, into: &draft)
                draft.commit(message, at: now)
            case .ephemeral(let message): draft.publish(message, at: now)
            case .retained(let message, let value):
                retained.insert(message.topic)
                if let value {
                    draft.transaction.store(OutboxRecord(key: StoredClearance.key(message.topic), value: value))
                }
                retain(message, at: now, records, into: &draft)
            }
        }
        guard let kind = publication.pages else { return }
        for topic in records.pages(of: kind, under: composer.topics) where !retained.contains(topic) {
            clear(topic, at: now, records, into: &draft)
            // The content of the page is on others now, or is forgotten.
            draft.transaction.store(OutboxRecord(key: StoredClearance.key(topic), value: []))
        }
    }

    /// Publishes a retained message. Its topic is stored, so that a later process that does not use it can clear it.
    func retain(_ message: Message, at instant: Instant, _ records: RecordTable, into draft: inout TransactionDraft) {
        draft.published.retained.want(message.topic)
        let key = StoredClearance.key(message.topic)
        if !draft.stores(key, records) { draft.transaction.store(OutboxRecord(key: key, value: [])) }
        draft.publish(message, at: instant)
    }

    /// Clears a topic that the gateway has used.
    func clear(_ topic: String, at instant: Instant, _ records: RecordTable, into draft: inout TransactionDraft) {
        guard draft.stores(StoredClearance.key(topic), records) else { return }
        draft.published.retained.release(topic)
        draft.publish(composer.cleared(topic), at: instant)
    }

    private mutating func write(
        _ transition: RegionTransition, _ record: RegionRecord?, _ records: RecordTable,
        into draft: inout TransactionDraft
    ) {
        let number = draft.numbering.number(of: .events)
        let entry = ledger.enter(transition, epoch: number.epoch, seq: number.seq, draft.timebase)
        integrations?.introduce(transition, by: self, records, into: &draft)
        if let event = entry.event {
            integrations?.publishCompanions(of: event, at: transition.at, into: &draft)
            draft.commit(event, at: transition.at)
        }
        if let key = draft.published.retained.want(transition.instance) { draft.transaction.remove([key]) }
        if let record {
            draft.transaction.store(stored(record, draft))
        } else {
            // The region has no state to continue from, not even a stored one. But its state will be retained, and has
            // to be cleared one day.
            let unsettled = OutboxRecord.withoutState(of: transition.instance)
            let isStored = records.has(unsettled) && !draft.transaction.records.contains { $0.key == unsettled.key }
            if !isStored { draft.transaction.store(unsettled) }
        }
        draft.publish(entry.state, at: transition.at)
    }

    private mutating func remove(
        _ instance: RegionInstanceID, at instant: Instant, _ records: RecordTable, into draft: inout TransactionDraft
    ) {
        ledger.remove(instance)
        if draft.published.retained.isFull {
            draft.transaction.remove([StoredRegion.key(instance)])
            integrations?.remove(instance, by: self, at: instant, records, into: &draft)
            draft.dispatched.append(.init(at: instant, content: .unlistedState(topic: composer.topics.state(instance))))
            return
        }
        // Stored even where there was no record: it stays until the broker has cleared the topic.
        draft.transaction.store(.withoutState(of: instance))
        draft.published.retained.release(instance)
        // The entities go before the state, so that no client reads an empty state.
        integrations?.remove(instance, by: self, at: instant, records, into: &draft)
        draft.publish(composer.clearedState(instance), at: instant)
    }

    /// Adds the spans that have ended, and the record from which a restart continues.
    ///
    /// - Parameter seenAt: a time at which the process is known to run, to be stored.
    func cover(seenAt: Instant?, into draft: inout TransactionDraft) {
        for ended in draft.published.coverage.log.takeEnded(draft.timebase) {
            let number = draft.numbering.number(of: .spans)
            let message = composer.coverage(ended, number, draft.timebase)
            draft.commit(message, at: max(ended.span.to, draft.published.coverage.began))
        }
        guard let record = draft.published.coverage.log.record(seen: seenAt ?? .origin, draft.timebase) else { return }
        draft.published.coverage.record(seen: record.seen)
        draft.transaction.store(
            OutboxRecord(key: StoredCoverage.key, value: record.encoded(draft.timebase, bootID: bootID)))
    }

    private func stored(_ record: RegionRecord, _ draft: TransactionDraft) -> OutboxRecord {
        let stored = StoredRegion(
            record: record, eventSeq: ledger.eventSeq(of: record.instance), epoch: draft.numbering.epoch)
        return OutboxRecord(
            key: StoredRegion.key(record.instance), value: stored.encoded(draft.timebase, bootID: bootID))
    }
}

/// A transaction for one numbering, and the state that changes when it is committed.
struct TransactionDraft {
    /// The numbering after the messages that the transaction has so far.
    var numbering: Numbering
    package let timebase: Timebase
    var published: Dispatcher.Published
    var transaction = OutboxTransaction()
    var dispatched: [Dispatcher.Dispatched] = []

    /// Returns whether a record stands under that key once this is committed.
    func stores(_ key: String, _ records: RecordTable) -> Bool {
        records.has(key) || transaction.records.contains { $0.key == key }
    }

    /// The keys with that beginning, once this is committed.
    func keys(under prefix: String, _ records: RecordTable) -> [String] {
        records.keys(under: prefix) + transaction.records.map(\.key).filter { $0.hasPrefix(prefix) }
    }

    /// Adds a message with the next number of its series, to be published once it is committed.
    mutating func commit(_ message: NumberedMessage, at instant: Instant) {
        numbering.goOn(after: message.number)
        transaction.messages.append(message)
        publish(Message(message), at: instant)
    }

    mutating func publish(_ message: Message, at instant: Instant) {
        dispatched.append(.init(at: instant, content: .message(message)))
    }
}

extension OutboxRecord {
    /// The record of an instance whose state the broker may retain, but that has no state to continue: it has not
    /// settled, or is not monitored any more.
    static func withoutState(of instance: RegionInstanceID) -> OutboxRecord {
        OutboxRecord(key: StoredRegion.key(instance), value: StoredRegion.withoutState)
    }
}

/// The outbox's last record under every key, kept in case the file is lost.
struct RecordTable {
    private var records: [String: [UInt8]]

    init(_ records: [OutboxRecord]) {
        self.records = Dictionary(records.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    var all: [OutboxRecord] { records.sorted { $0.key < $1.key }.map { OutboxRecord(key: $0.key, value: $0.value) } }

    func instances(of region: String) -> [RegionInstanceID] {
        records.keys.sorted().compactMap { StoredRegion.instance(ofKey: $0) }.filter { $0.region == region }
    }

    func keys(under prefix: String) -> [String] { records.keys.filter { $0.hasPrefix(prefix) } }

    /// The topics of a gateway's pages of that kind that have a record.
    func pages(of kind: MessageKind, under topics: TopicTree) -> [String] {
        records.keys.compactMap { StoredClearance.topic(ofKey: $0) }.filter { topics.isPage($0, of: kind) }.sorted()
    }

    func has(_ record: OutboxRecord) -> Bool { records[record.key] == record.value }

    func has(_ key: String) -> Bool { records[key] != nil }

    /// Records a committed transaction.
    mutating func record(_ transaction: OutboxTransaction) {
        for record in transaction.records { records[record.key] = record.value }
        for key in transaction.removedRecords { records[key] = nil }
    }
}

/// The times after which messages are not worth delivering.
enum Expiry {
    /// The next ranging message replaces this one after `max_interval_s` at the latest.
    static func ranging_s(_ settings: RangingSettings) -> UInt32 {
        UInt32(clamping: settings.maxInterval.microseconds / 1_000_000 + 1)
    }
}
