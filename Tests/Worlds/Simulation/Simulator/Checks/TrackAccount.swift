@testable import Agent
@testable import Core

/// An account of places: the receiver's reports, the fixes that the engine kept, and the batches for subscribers.
struct TrackAccount {
    /// A fix, as every message and record writes it.
    private typealias Key = [UInt8]

    private struct Batch {
        /// `nil` where the fate of the batch is not certain.
        var fixes: [Key]?
        var payload: [UInt8]?
        var mayBeLost = false
    }

    private struct Kept {
        var at: Instant
        var isDurable = false
        /// Whether it was in memory alone when the process ended, or its gateway was moved.
        var mayBeLost = false
    }

    /// Every fix of the receiver, with its order, and whether it may be published at all.
    private var reported: [Key: (order: Int, isUsable: Bool)] = [:]
    private var kept: [Key: Kept] = [:]
    /// Fixes that are kept and in no batch yet.
    private var open: [Key] = []
    private var volatile: [Key] = []
    /// Batches that the engine has published and that have no number yet.
    private var waiting: [[Key]] = []
    private var inDoubt: [[Key]] = []
    private var epochs: [String: [Int64: Batch]] = [:]
    private var gaps: [String: [ClosedRange<Int64>]] = [:]
    private var current: Numbering?
    private var batchOf: [Key: (epoch: String, number: Int64)] = [:]
    private(set) var batchCount = 0
    private(set) var placeCount = 0
    /// The place that the engine published last in this life.
    private(set) var lastPlace: (fix: Fix, at: Instant)?

    /// The number of batches that have got a number.
    var numberedCount: Int64 { epochs.values.reduce(0) { $0 + Int64($1.count) } }

    // MARK: - Reports of the receiver and the engine

    /// - Parameter isUsable: whether it is a fix, and not worse than `desired_accuracy_m`.
    mutating func report(_ fix: Fix, isUsable: Bool) {
        reported[StoredFix.encoded(fix)] = (reported.count, isUsable)
    }

    func isKept(_ fix: Fix) -> Bool { kept[StoredFix.encoded(fix)] != nil }

    mutating func take(_ outputs: [GatewayOutput], at now: Instant) throws(Violation) {
        for output in outputs {
            guard case .message(let announcement, _) = output else { continue }
            switch announcement.content {
            case let stored as KeptFix:
                let key = StoredFix.encoded(stored.fix)
                try checkReported(key, "is kept")
                kept[key] = Kept(at: now)
                open.append(key)
                volatile.append(key)
            case let batch as TrackBatch:
                let keys = batch.fixes.map(StoredFix.encoded)
                if !open.isEmpty, keys != open {
                    throw Violation(invariant: .batches, detail: "a batch has not the fixes that were kept for it")
                }
                open = []
                waiting.append(keys)
            case let location as GatewayLocation:
                try checkReported(StoredFix.encoded(location.placed.fix), "is published")
                lastPlace = (location.placed.fix, now)
            default: break
            }
        }
    }

    private func checkReported(_ key: Key, _ what: String) throws(Violation) {
        if reported[key]?.isUsable != true {
            throw Violation(invariant: .place, detail: "a place \(what) that no receiver reported well enough")
        }
    }

    // MARK: - The agent's lives

    /// - Parameter readsDisk: whether the process can read the disk. Otherwise, fixes kept there wait for the next
    /// start.
    mutating func lifeBegan(_ numbering: Numbering, readsDisk: Bool) throws(Violation) {
        if !readsDisk { moved() }
        _ = try number(inDoubt, to: numbering)
        inDoubt = []
        lastPlace = nil
    }

    /// A round of the delivery loop has ended.
    ///
    /// - Parameter isDurable: whether the disk has everything that the loop has taken.
    mutating func roundEnded(_ numbering: Numbering, isDurable: Bool, at now: Instant) throws(Violation) {
        waiting = try number(waiting, to: numbering)
        guard isDurable else { return }
        // Fixes kept just now may still wait for others to share a transaction.
        let settled = TimeSpan.seconds(2)
        while let key = volatile.first, let entry = kept[key], now - entry.at > settled {
            kept[key]?.isDurable = true
            volatile.removeFirst()
        }
    }

    /// - Returns: the batches that have no number yet.
    private mutating func number(_ batches: [[Key]], to numbering: Numbering) throws(Violation) -> [[Key]] {
        var batches = batches
        let epoch = numbering.epoch
        let first = (epochs[epoch]?.keys.max() ?? 0) + 1
        if numbering[.batches] < first {
            throw Violation(
                invariant: .numberedOnce,
                detail: "batches go on with number \(numbering[.batches]), \(first - 1) was given before")
        }
        for number in first..<max(first, numbering[.batches]) {
            epochs[epoch, default: [:]][number] = Batch(fixes: batches.isEmpty ? nil : batches.removeFirst())
        }
        current = numbering
        return batches
    }

    /// - Parameter isStored: whether a file knows the epoch.
    mutating func lifeEnded(isStored: Bool) {
        for key in volatile { kept[key]?.mayBeLost = true }
        volatile = []
        open = []
        if !isStored, let epoch = current?.epoch {
            for number in epochs[epoch]?.keys.sorted() ?? [] { epochs[epoch]?[number]?.mayBeLost = true }
        }
        inDoubt = waiting
        waiting = []
    }

    /// The gateway is another one from now on, which says nothing about this one's way.
    mutating func moved() {
        let numbered = Set(epochs.values.flatMap { $0.values.flatMap { $0.fixes ?? [] } })
        for key in kept.keys where !numbered.contains(key) { kept[key]?.mayBeLost = true }
    }

    // MARK: - Messages to subscribers

    mutating func stated(_ epoch: String, _ numbers: ClosedRange<Int64>) { gaps[epoch, default: []].append(numbers) }

    private func isStated(_ epoch: String, _ number: Int64) -> Bool {
        gaps[epoch]?.contains { $0.contains(number) } ?? false
    }

    mutating func receive(_ place: LocationPayload) throws(Violation) {
        placeCount += 1
        try checkReported(StoredFix.encoded(place.fix), "arrives")
    }

    /// - Parameters:
    ///   - mayBeUnordered: whether the disk could not be read, or a message was refused, while messages of the epoch
    /// were waiting.
    ///   - mayComeAgain: whether a process has ended before its disk had everything.
    mutating func receive(
        _ track: TrackPayload, mayBeUnordered: Bool, mayComeAgain: Bool
    ) throws(Violation) {
        let (epoch, number, keys) = (track.number.epoch, track.number.seq, track.content.fixes.map(StoredFix.encoded))
        let entry = epochs[epoch]?[number]
        if let payload = entry?.payload {
            if payload == track.encoded { return }
            throw Violation(invariant: .numberedOnce, detail: "batch \(number) came twice and differs")
        }
        batchCount += 1
        if let fixes = entry?.fixes, fixes != keys {
            throw Violation(invariant: .batches, detail: "batch \(number) is not what the engine had published")
        }
        if isStated(epoch, number) {
            throw Violation(invariant: .gapsStated, detail: "batch \(number) came although a gap had said it would not")
        }
        for key in keys {
            try checkReported(key, "arrives in a batch")
            if let first = batchOf[key], !mayComeAgain {
                throw Violation(invariant: .batches, detail: "a fix comes in batch \(number), and in \(first.number)")
            }
            batchOf[key] = (epoch, number)
        }
        let orders = keys.map { reported[$0]?.order ?? 0 }
        if orders != orders.sorted() {
            throw Violation(invariant: .batches, detail: "the fixes of batch \(number) are not in their order")
        }
        let missing = (1..<max(1, number)).first { epochs[epoch]?[$0]?.payload == nil && !isStated(epoch, $0) }
        if let missing, !mayBeUnordered, epochs[epoch]?[missing]?.mayBeLost == false {
            throw Violation(invariant: .order, detail: "batch \(number) came before \(missing)")
        }
        epochs[epoch, default: [:]][number, default: Batch(fixes: keys)].payload = track.encoded
        epochs[epoch]?[number]?.fixes = keys
    }

    /// At the end every batch has come or was given up, and with them every fix that was kept.
    func check() throws(Violation) {
        var explained = Set(open).union(volatile)
        var isPlain = true
        for (epoch, batches) in epochs.sorted(by: { $0.key < $1.key }) {
            for (number, batch) in batches.sorted(by: { $0.key < $1.key }) {
                if batch.payload == nil, !batch.mayBeLost, !isStated(epoch, number) {
                    throw Violation(
                        invariant: .nothingLost, detail: "batch \(number) of \(epoch) never came, and no gap says so")
                }
                explained.formUnion(batch.fixes ?? [])
                isPlain = isPlain && batch.fixes != nil
            }
        }
        guard isPlain else { return }
        for (key, entry) in kept.sorted(by: { $0.value.at < $1.value.at })
        where !entry.mayBeLost && !explained.contains(key) {
            throw Violation(
                invariant: .batches, detail: "a fix that was kept at \((entry.at - .origin).seconds) s is in no batch")
        }
    }
}
