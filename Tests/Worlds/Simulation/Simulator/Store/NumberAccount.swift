@testable import Agent
@testable import Core

/// The numbered messages of each machine of a store: each number stands for one message, and at the end only numbers in
/// gaps are missing.
struct NumberAccount {
    struct Event {
        var payload: EventPayload
        var instance: RegionInstanceID
    }

    private struct Epoch {
        var octets: [NumberSeries: [Int64: [UInt8]]] = [:]
        var gaps: [NumberSeries: [ClosedRange<Int64>]] = [:]
        var events: [Int64: Event] = [:]
        /// The outbox's next numbers.
        var given: [NumberSeries: Int64] = [:]
        /// The next event to examine.
        var next: Int64 = 1

        func isStated(_ seq: Int64, _ series: NumberSeries) -> Bool {
            gaps[series]?.contains { $0.contains(seq) } ?? false
        }
    }

    private struct Machine {
        var epochs: [String: Epoch] = [:]
        var current = ""
        /// Whether a disk failed, so that messages in memory may come after later ones.
        var mayBeUnordered = false
        /// Whether a process ended before its disk had everything.
        var mayHaveLost = false
    }

    private var machines: [TopicTree: Machine] = [:]
    /// The number of events that came, repetitions included.
    private(set) var eventCount = 0
    private(set) var repetitionCount = 0

    mutating func lifeBegan(_ topics: TopicTree, _ numbering: Numbering) {
        if let former = machines[topics], former.current != numbering.epoch { machines[topics]?.mayHaveLost = true }
        roundEnded(topics, numbering)
    }

    mutating func roundEnded(_ topics: TopicTree, _ numbering: Numbering) {
        machines[topics, default: Machine()].current = numbering.epoch
        for series in NumberSeries.allCases {
            machines[topics]?.epochs[numbering.epoch, default: Epoch()].given[series] = numbering[series]
        }
    }

    mutating func mayBeUnordered(_ topics: TopicTree) { machines[topics, default: Machine()].mayBeUnordered = true }

    mutating func mayHaveLost(_ topics: TopicTree) { machines[topics, default: Machine()].mayHaveLost = true }

    // MARK: - Messages to the subscriber

    mutating func receive(_ payload: any Payload, _ topic: Topic, _ octets: [UInt8]) throws(Violation) {
        switch payload {
        case let event as EventPayload:
            let isNew = try receive(topic.gateway, event.epoch, .events, event.seq, octets)
            guard let instance = topic.subject.instance else { return }
            (eventCount, repetitionCount) = (eventCount + (isNew ? 1 : 0), repetitionCount + (isNew ? 0 : 1))
            let known = Event(payload: event, instance: instance)
            machines[topic.gateway]?.epochs[event.epoch]?.events[event.seq] = known
        case let numbered as any NumberedPayload:
            let number = numbered.number
            _ = try receive(topic.gateway, number.epoch, number.series, number.seq, octets)
        case let gap as GapPayload:
            machines[topic.gateway, default: Machine()].epochs[gap.epoch, default: Epoch()]
                .gaps[gap.series, default: []].append(gap.numbers)
        default: break
        }
    }

    /// - Returns: whether it is new.
    private mutating func receive(
        _ topics: TopicTree, _ name: String, _ series: NumberSeries, _ seq: Int64, _ octets: [UInt8]
    ) throws(Violation) -> Bool {
        var machine = machines[topics] ?? Machine()
        defer { machines[topics] = machine }
        let known = machine.epochs[name]?.octets[series] ?? [:]
        machine.epochs[name, default: Epoch()].octets[series, default: [:]][seq] = octets
        if let former = known[seq] {
            if former == octets { return false }
            throw Violation(
                invariant: .numberedOnce, detail: "\(series) \(seq) of \(topics.gateway) came twice and differs")
        }
        if let last = known.keys.max(), last > seq, !machine.mayBeUnordered {
            throw Violation(invariant: .order, detail: "\(series) \(seq) of \(topics.gateway) came after \(last)")
        }
        return true
    }

    /// The next event in the order of its epoch, if it has come. Remains of a former epoch are not examined.
    mutating func next(of topics: TopicTree) -> Event? {
        guard let machine = machines[topics], var epoch = machine.epochs[machine.current] else { return nil }
        defer { machines[topics]?.epochs[machine.current] = epoch }
        while epoch.events[epoch.next] == nil {
            let later = epoch.events.keys.filter { $0 > epoch.next }.min()
            guard let later, machine.mayHaveLost || epoch.isStated(epoch.next, .events) else { return nil }
            epoch.next = machine.mayHaveLost ? later : epoch.next + 1
        }
        defer { epoch.next += 1 }
        return epoch.events[epoch.next]
    }

    /// At the end no number of any epoch is missing.
    func check() throws(Violation) {
        for (topics, machine) in machines.sorted(by: { $0.key.gateway < $1.key.gateway }) where !machine.mayHaveLost {
            for (name, epoch) in machine.epochs.sorted(by: { $0.key < $1.key }) {
                for (series, next) in epoch.given.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where next > 1 {
                    let missing = (1..<next).first {
                        epoch.octets[series]?[$0] == nil && !epoch.isStated($0, series)
                    }
                    guard let missing else { continue }
                    let detail =
                        "\(series) \(missing) of \(topics.gateway), epoch \(name), never came, and no gap says so"
                    throw Violation(invariant: .nothingLost, detail: detail)
                }
            }
        }
    }
}
