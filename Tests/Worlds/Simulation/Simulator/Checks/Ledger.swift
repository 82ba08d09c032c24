@testable import Agent
@testable import Core

/// A model of the store of events: the events that must exist, from the engine's outputs and the outbox's reports.
struct Ledger {
    /// A crossing that the engine found.
    struct Crossing: Hashable {
        var instance: RegionInstanceID
        var isEntry: Bool
    }

    struct Entry {
        /// `nil` for a number that may have been skipped.
        var crossing: Crossing?
        /// The payload that the subscriber first got under this number.
        var payload: [UInt8]?
        var isDurable: Bool
        /// Whether it was in memory alone when the process ended, in an epoch that no file knows.
        var mayBeLost = false
        /// Whether it was in memory alone when the process ended, so that the disk decides whether the next one knows
        /// it.
        var mayBeForgotten = false
    }

    struct Epoch {
        var entries: [Int64: Entry] = [:]
        /// The number after the last one that was given, as far as is known.
        var next: Int64 = 1
        var isStored = false
        /// Whether the disk could not be read, or a message was refused, while events of the epoch were waiting.
        var mayBeUnordered = false
        var gaps: [ClosedRange<Int64>] = []

        func isStated(_ seq: Int64) -> Bool { gaps.contains { $0.contains(seq) } }
        var durableNext: Int64 { (entries.filter { $0.value.isDurable }.keys.max() ?? 0) + 1 }
    }

    private(set) var epochs: [String: Epoch] = [:]
    private(set) var current: Numbering?
    /// The gateway in which each epoch began.
    private var owners: [String: TopicTree] = [:]
    private var topics: TopicTree?
    /// Crossings that were found and are not committed yet, in order.
    private(set) var waiting: [Crossing] = []
    /// Crossings that may or may not have been committed when the process ended.
    private var inDoubt: [Crossing] = []
    private var volatile: [(epoch: String, seq: Int64)] = []
    /// The number of crossings that this process has found.
    private(set) var crossingCount: Int64 = 0

    mutating func take(_ outputs: [GatewayOutput]) {
        for output in outputs {
            let crossing: (instance: RegionInstanceID, event: RegionEvent)? =
                switch output {
                case .transition(let transition, _): transition.event.map { (transition.instance, $0) }
                case .exit(let instance, let event, at: _): (instance, event)
                default: nil
                }
            guard let crossing else { continue }
            crossingCount += 1
            waiting.append(Crossing(instance: crossing.instance, isEntry: crossing.event.kind == .enter))
        }
    }

    /// A process has begun with this outbox.
    mutating func lifeBegan(_ outbox: Outbox, _ topics: TopicTree) throws(Violation) {
        self.topics = topics
        crossingCount = 0
        waiting = []
        try resume(outbox)
    }

    /// A round of the delivery loop has ended, and the process lives.
    mutating func roundEnded(_ outbox: Outbox) throws(Violation) {
        let numbering = outbox.numbering
        if numbering.epoch != current?.epoch, epochs[numbering.epoch] != nil {
            try resume(outbox)
        } else {
            let first = numbering.epoch == current?.epoch ? current?[.events] ?? 1 : 1
            for seq in first..<max(first, numbering[.events]) {
                guard !waiting.isEmpty else {
                    throw Violation(invariant: .numberedOnce, detail: "number \(seq) was given to nothing")
                }
                epochs[numbering.epoch, default: Epoch()].entries[seq] = Entry(
                    crossing: waiting.removeFirst(), isDurable: false)
                volatile.append((numbering.epoch, seq))
            }
            epochs[numbering.epoch, default: Epoch()].next = numbering[.events]
        }
        current = numbering
        noteOwner()
        epochs[numbering.epoch, default: Epoch()].isStored = outbox.bookkeeping.isEpochStored
        if let cause = outbox.condition?.cause, cause != .diskFull, cause != .readOnly { mayBeUnordered() }
        guard outbox.isDurable else { return }
        for (epoch, seq) in volatile { epochs[epoch]?.entries[seq]?.isDurable = true }
        volatile = []
    }

    /// Whether a file knows the present epoch.
    var isEpochStored: Bool { current.flatMap { epochs[$0.epoch] }?.isStored ?? false }

    /// The process has ended, in order or not.
    mutating func lifeEnded() {
        for (epoch, seq) in volatile {
            epochs[epoch]?.entries[seq]?.mayBeForgotten = true
            if epochs[epoch]?.isStored == false { epochs[epoch]?.entries[seq]?.mayBeLost = true }
        }
        volatile = []
        inDoubt = waiting
    }

    /// The broker has refused a message, or the disk could not be read: a later event may come first.
    mutating func mayBeUnordered() {
        for name in epochs.keys { epochs[name]?.mayBeUnordered = true }
    }

    private mutating func resume(_ outbox: Outbox) throws(Violation) {
        let numbering = outbox.numbering
        var epoch = epochs[numbering.epoch] ?? Epoch()
        let given = (epoch.entries.keys.max() ?? 0) + 1
        if numbering[.events] < given {
            throw Violation(
                invariant: .numberedOnce,
                detail: "the outbox goes on with number \(numbering[.events]), \(given - 1) was given before")
        }
        if numbering[.events] - given > 2_000 {
            throw Violation(invariant: .nothingLost, detail: "numbers \(given)…\(numbering[.events]) were skipped")
        }
        for seq in given..<numbering[.events] {
            epoch.entries[seq] = Entry(crossing: inDoubt.isEmpty ? nil : inDoubt.removeFirst(), isDurable: true)
        }
        inDoubt = []
        epoch.next = numbering[.events]
        epoch.isStored = outbox.bookkeeping.isEpochStored
        if epoch.isStored == false, current != nil, outbox.condition == nil, epochs[numbering.epoch] == nil {
            throw Violation(invariant: .nothingLost, detail: "a new epoch began although the disk works")
        }
        epochs[numbering.epoch] = epoch
        current = numbering
        noteOwner()
    }

    private mutating func noteOwner() {
        guard let epoch = current?.epoch, owners[epoch] == nil else { return }
        owners[epoch] = topics
    }

    /// The topics of the events of an epoch.
    func topics(ofEpoch epoch: String) -> TopicTree? { owners[epoch] }

    // MARK: - Messages to the subscriber

    mutating func received(_ epoch: String, _ seq: Int64, _ payload: [UInt8]) {
        epochs[epoch]?.entries[seq]?.payload = payload
    }

    mutating func stated(_ epoch: String, _ numbers: ClosedRange<Int64>) {
        epochs[epoch, default: Epoch()].gaps.append(numbers)
    }

    /// Whether the event of that number, in any epoch, belongs to this instance.
    func names(_ seq: Int64, _ instance: RegionInstanceID) -> Bool {
        epochs.values.contains { epoch in
            guard let entry = epoch.entries[seq] else { return false }
            return entry.crossing == nil || entry.crossing?.instance == instance
        }
    }

    /// The events of the current epoch that an instance's state may name as the last: 0 stands for none.
    func lastEvents(of instance: RegionInstanceID) -> Set<Int64> {
        let epoch = current.flatMap { epochs[$0.epoch] } ?? Epoch()
        let entries = epoch.entries.filter { $0.value.crossing?.instance == instance }
        let known = entries.filter { !$0.value.mayBeForgotten }.keys.max() ?? 0
        return Set(entries.keys.filter { $0 > known }).union([known])
    }

    /// The last event of each instance in the current epoch; `nil` where that is not certain.
    func lastEvents() -> [RegionInstanceID: (seq: Int64, isEntry: Bool)]? {
        guard epochs.count == 1, let epoch = epochs.values.first else { return nil }
        var last: [RegionInstanceID: (seq: Int64, isEntry: Bool)] = [:]
        for (seq, entry) in epoch.entries.sorted(by: { $0.key < $1.key }) {
            guard let crossing = entry.crossing else { return nil }
            last[crossing.instance] = (seq, crossing.isEntry)
        }
        return last
    }
}
