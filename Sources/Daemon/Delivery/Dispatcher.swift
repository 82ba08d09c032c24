import Gateway
import HCI
import Messages
import Outbox
import Regions

/// Turns what the engine tells into messages. Events and region states are committed to the outbox before anything is
/// said of them.
///
/// It belongs to one thread, like the outbox.
package final class Dispatcher {
    /// What is to be said, in order, and when it happened.
    package struct Dispatched {
        package enum Content {
            /// It stands in the outbox.
            case event(Message)
            /// Retained: the latest counts.
            case state(Message)
            case ranging(Message)
            case answer(Message)
            case failure(RegionMonitoringFailure)
            case notice(RegionMonitoringNotice)
        }

        package var at: Instant
        package var content: Content

        package init(at: Instant, content: Content) {
            self.at = at
            self.content = content
        }
    }

    package let outbox: Outbox
    /// It remembers pseudonyms, so it changes as it writes.
    package private(set) var composer: MessageComposer
    private var ledger: EventLedger
    private let bootID: String?
    private var epoch: String
    private var book: RecordBook
    /// What is another version's to change.
    private let kept: KeptRecords
    private var abandoned: AbandonedStates
    private var pseudonymKey: [UInt8]
    private var fileGeneration: Int
    var coverage = CoverageLog()
    /// When this process took it up: before that nothing was said.
    private var coverageBegan = Instant.origin
    /// The latest that is stored of this process having run.
    private var seen = Instant.origin
    /// Events committed since the start.
    package private(set) var eventCount: Int64 = 0
    /// What clears the states of regions that an earlier process monitored and this one does not. It goes before any state: a
    /// gateway that becomes again what it was once may have more to say of the same regions.
    package let clearances: [Message]
    /// What clears the topics of a gateway that this one was before it was moved.
    package let formerClearances: [Message]

    package init(_ composer: MessageComposer, outbox: Outbox, stored: StoredState, bootID: String?) {
        self.composer = composer
        self.outbox = outbox
        self.bootID = bootID
        self.epoch = outbox.numbering.epoch
        self.ledger = EventLedger(
            composer,
            lastSeq: Dictionary(
                stored.regions.map { [epoch] in ($0.record.instance, $0.eventSeq(in: epoch)) },
                uniquingKeysWith: { first, _ in first }))
        self.book = RecordBook(stored.records)
        self.kept = stored.kept
        self.pseudonymKey = stored.pseudonymKey
        self.fileGeneration = outbox.fileGeneration
        let ownRoot = composer.topics.root + "/"
        let former = Dictionary(grouping: stored.formerTopics) { $0.utf8.starts(with: ownRoot.utf8) }
        self.clearances = stored.abandoned.map(composer.clearedState) + (former[true] ?? []).map(composer.cleared)
        self.formerClearances = (former[false] ?? []).map(composer.cleared)
        self.abandoned = AbandonedStates(
            stored.abandoned, formerTopics: stored.formerTopics, topics: composer.topics)
    }

    /// Commits what belongs on the disk in one transaction, and returns what to publish.
    ///
    /// - Throws: `OutboxError.misnumbered`, which would be a fault of this very function: the numbers are the outbox's.
    package func dispatch(_ outputs: [GatewayOutput], _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        outputs.isEmpty ? [] : try commit(outputs, coverage, seenAt: nil, timebase)
    }

    /// How often it is stored that the process runs, where nothing else that is stored shows it.
    static let seenInterval = TimeSpan.seconds(300)

    /// Goes on with the span of an earlier process.
    package func resumeCoverage(_ stored: StoredCoverage?, at now: Instant) {
        coverageBegan = now
        if let stored { coverage = CoverageLog(resuming: stored, at: now) }
    }

    /// Tells of the span of coverage that lasts where that is due, and of those that had to wait for the disk. To be called about once a
    /// minute, and as often as one likes.
    ///
    /// - Throws: as `dispatch`.
    package func tellCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        coverage.advance(to: now)
        let isDue = coverage.due != .distantFuture && now >= seen + Self.seenInterval
        guard outbox.numbersSpans, isDue || !coverage.ended.isEmpty else { return [] }
        return try commit([], coverage, seenAt: now, timebase)
    }

    /// The process ends: so does the span.
    ///
    /// - Throws: as `dispatch`.
    package func endCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        var coverage = coverage
        coverage.note(.stopped, at: now)
        guard coverage.due != .distantFuture, outbox.numbersSpans else { return [] }
        return try commit([], coverage, seenAt: now, timebase)
    }

    /// - Parameters:
    ///   - coverage: as it is before `outputs`.
    ///   - seenAt: a time at which the process is known to run, to be stored.
    private func commit(
        _ outputs: [GatewayOutput], _ coverage: CoverageLog, seenAt: Instant?, _ timebase: Timebase
    ) throws(OutboxError) -> [Dispatched] {
        // The transaction may be built again for another numbering; only what was built last counts.
        var draft = Draft(abandoned: abandoned, coverage: coverage)
        let transaction = try outbox.commit { numbering in
            draft = Draft(abandoned: abandoned, coverage: coverage)
            if numbering.epoch != epoch { ledger.beginEpoch() }
            var transaction = build(outputs, numbering, timebase, into: &draft)
            cover(numbering, seenAt, timebase, into: &draft, &transaction)
            kept.spare(in: &transaction)
            return transaction
        }
        abandoned = draft.abandoned
        self.coverage = draft.coverage
        seen = max(seen, draft.seen)
        book.note(transaction)
        epoch = outbox.numbering.epoch
        eventCount += draft.eventCount
        return draft.dispatched
    }

    /// The birth message, or the goodbye and will, as of the outbox's present epoch.
    package func status(
        isOnline: Bool, radio: MessageComposer.RadioStatus, at now: Instant, _ timebase: Timebase
    ) -> Message {
        composer.status(isOnline: isOnline, epoch: outbox.numbering.epoch, radio: radio, at: now, timebase)
    }

    /// What to publish anew since another epoch began: states that name the one before.
    package func statesOfNewEpoch(_ timebase: Timebase) -> [Message] {
        if outbox.numbering.epoch != epoch {
            epoch = outbox.numbering.epoch
            ledger.beginEpoch()
        }
        return ledger.takeOutdatedStates(epoch: epoch, timebase)
    }

    /// Makes a new secret for pseudonyms where the day is another one than that of the last, and forgets the old one. It is
    /// on the disk before anything is named by it.
    package func renewPseudonymKey(at time: WallTime, random: () -> [UInt8]) {
        guard !PseudonymKey.serves(pseudonymKey, at: time) else { return }
        pseudonymKey = PseudonymKey.make(random: random(), at: time)
        outbox.setValue(pseudonymKey, forKey: StoredState.pseudonymKeyName)
        composer.replacePseudonymKey(pseudonymKey)
    }

    private static let searchedKey = "searched"

    /// Whether it was looked in this epoch for states at the broker that nobody knows any more.
    package var hasSearched: Bool { outbox.value(forKey: Self.searchedKey) == Array(outbox.numbering.epoch.utf8) }

    package func noteSearched() {
        outbox.setValue(Array(outbox.numbering.epoch.utf8), forKey: Self.searchedKey)
    }

    /// States the loss of events that had no number yet: they get the next ones, which will never come.
    ///
    /// - Throws: as `dispatch`.
    func stateLoss(_ count: Int64) throws(OutboxError) {
        try outbox.commit { _ in OutboxTransaction(lostEvents: count) }
    }

    /// What there is to do after each round of delivery.
    ///
    /// - Parameter clearedTopics: what the broker has cleared; what is stored of their regions goes.
    /// - Throws: as `dispatch`.
    package func tidy(clearedTopics: [String]) throws(OutboxError) {
        let keys = abandoned.takeKeys(clearedTopics: clearedTopics).filter { !kept.has($0) }
        if !keys.isEmpty { book.note(try outbox.commit { _ in OutboxTransaction(removedRecords: keys) }) }
        try storeAgain()
    }

    /// Stores everything again if the outbox has had to begin a new file: what stood in the old one may be lost.
    private func storeAgain() throws(OutboxError) {
        let generation = outbox.fileGeneration
        guard generation != fileGeneration else { return }
        fileGeneration = generation
        outbox.setValue(pseudonymKey, forKey: StoredState.pseudonymKeyName)
        let records = book.all
        try outbox.commit { _ in OutboxTransaction(records: records) }
    }

    private struct Draft {
        var abandoned: AbandonedStates
        var coverage: CoverageLog
        /// The latest time in what is stored.
        var seen = Instant.origin
        var dispatched: [Dispatched] = []
        var eventCount: Int64 = 0

        mutating func say(_ content: Dispatched.Content, at instant: Instant) {
            dispatched.append(Dispatched(at: instant, content: content))
        }
    }

    private func build(
        _ outputs: [GatewayOutput], _ numbering: Numbering, _ timebase: Timebase, into draft: inout Draft
    ) -> OutboxTransaction {
        var transaction = OutboxTransaction()
        for output in outputs {
            switch output {
            case .transition(let transition, let record):
                let entry = ledger.enter(
                    transition, epoch: numbering.epoch, seq: numbering.nextSequence + draft.eventCount, timebase)
                if let seq = entry.seq, let event = entry.event {
                    draft.eventCount += 1
                    transaction.events.append(OutboxEvent(seq: seq, topic: event.topic, payload: event.payload))
                    draft.say(.event(event), at: transition.at)
                }
                if let key = draft.abandoned.remove(transition.instance) { transaction.remove([key]) }
                if let record {
                    transaction.store(stored(record, numbering, timebase))
                } else if !book.has(StoredRegion.key(transition.instance)) {
                    // Nothing to go on from, but its state will be retained, and is to be cleared one day.
                    transaction.store(
                        OutboxRecord(key: StoredRegion.key(transition.instance), value: StoredRegion.unsettled))
                }
                draft.say(.state(entry.state), at: transition.at)
            case .ended(let instance, let event, let at):
                let seq = numbering.nextSequence + draft.eventCount
                let message = ledger.end(instance, with: event, epoch: numbering.epoch, seq: seq, at: at, timebase)
                draft.eventCount += 1
                transaction.events.append(OutboxEvent(seq: seq, topic: message.topic, payload: message.payload))
                draft.say(.event(message), at: at)
                // It is told once, however long the broker takes to clear the state.
                transaction.store(OutboxRecord(key: StoredRegion.key(instance), value: StoredRegion.abandoned))
            case .radio(let radio, let at):
                draft.coverage.note(radio, at: at)
            case .stays(let records):
                transaction.records += records.map { stored($0, numbering, timebase) }
                for record in records { draft.seen = max(draft.seen, record.lastHeardAt) }
            case .ranging(let report):
                draft.say(.ranging(composer.ranging(report, timebase)), at: report.at)
            case .failure(let failure, let at):
                draft.say(.failure(failure), at: at)
            case .notice(let notice, let at):
                draft.say(.notice(notice), at: at)
            case .registered(let definition, let region, _):
                transaction.remove(draft.abandoned.keys(of: region))
                transaction.store(OutboxRecord(key: StoredDefinition.key(region), value: definition.text))
            case .unregistered(let region, let instances, let at):
                transaction.remove([StoredDefinition.key(region)])
                // Of a region that a limit has refused the engine has no instance, but an earlier process may have stored some.
                let left = book.instances(of: region).filter {
                    !instances.contains($0) && !kept.has(StoredRegion.key($0))
                }
                for instance in instances + left {
                    ledger.forget(instance)
                    // Also where there was none: it stays until the broker has cleared the topic, whatever happens here.
                    transaction.store(
                        OutboxRecord(key: StoredRegion.key(instance), value: StoredRegion.abandoned))
                    draft.abandoned.add(instance)
                    draft.say(.state(composer.clearedState(instance)), at: at)
                }
            case .answer(let answer):
                draft.say(
                    .answer(composer.response(answer, eventSeq: { ledger.eventSeq(of: $0) }, timebase)), at: answer.at)
            }
        }
        return transaction
    }

    /// Adds the spans that have ended, and what to go on from after a restart. Where they can't be numbered now, nothing of them
    /// is stored either: what was stored last is still true.
    private func cover(
        _ numbering: Numbering, _ seenAt: Instant?, _ timebase: Timebase, into draft: inout Draft,
        _ transaction: inout OutboxTransaction
    ) {
        let hasChanged = draft.coverage != coverage
        guard outbox.numbersSpans, hasChanged || seenAt != nil || !draft.coverage.ended.isEmpty else { return }
        for (offset, told) in draft.coverage.takeEnded(timebase).enumerated() {
            let number = numbering.nextSpan + Int64(offset)
            let message = composer.coverage(told, epoch: numbering.epoch, number: number, timebase)
            transaction.events.append(
                OutboxEvent(kind: .coverage, seq: number, topic: message.topic, payload: message.payload))
            draft.say(.event(message), at: max(told.span.to, coverageBegan))
        }
        guard let record = draft.coverage.record(seen: seenAt ?? .origin, timebase) else { return }
        draft.seen = max(draft.seen, record.seen)
        transaction.store(OutboxRecord(key: StoredCoverage.key, value: record.encoded(timebase, bootID: bootID)))
    }

    private func stored(
        _ record: RegionRecord, _ numbering: Numbering, _ timebase: Timebase
    ) -> OutboxRecord {
        let stored = StoredRegion(
            record: record, eventSeq: ledger.eventSeq(of: record.instance), epoch: numbering.epoch)
        return OutboxRecord(
            key: StoredRegion.key(record.instance), value: stored.encoded(timebase, bootID: bootID))
    }
}

extension OutboxTransaction {
    /// Stores a record, also where an earlier part of the transaction removes it.
    fileprivate mutating func store(_ record: OutboxRecord) {
        removedRecords.removeAll { $0 == record.key }
        records.append(record)
    }

    /// Removes records, also where an earlier part of the transaction stores them.
    fileprivate mutating func remove(_ keys: [String]) {
        let keys = Set(keys)
        records.removeAll { keys.contains($0.key) }
        removedRecords += keys.sorted()
    }
}
