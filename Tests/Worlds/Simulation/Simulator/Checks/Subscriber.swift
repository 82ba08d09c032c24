import Messages
import Regions

/// A subscriber that keeps account, as the contract tells it to: numbers it has, gaps it was told of.
final class Subscriber {
    private unowned let world: World
    /// What came before the checks knew of it: the process ended in the round in which it was committed.
    private(set) var early: [(epoch: String, seq: Int64, payload: [UInt8], instance: String)] = []
    private(set) var eventCount = 0
    private(set) var repetitionCount = 0
    private(set) var gapCount = 0

    init(_ world: World) { self.world = world }

    /// The broker has refused a message: what was sent behind it may come before it.
    func refused(_ message: Message) {
        let numbered = ["/gap", "/event", "/coverage"]
        if numbered.contains(where: message.topic.hasSuffix) { world.ledger.mayBeUnordered() }
    }

    func receive(_ message: Message) {
        do throws(Violation) {
            if message.topic.hasSuffix("/gap") {
                try gap(Fields(message.payload))
            } else if message.topic.hasSuffix("/event") {
                try event(message)
            } else if message.topic.hasSuffix("/coverage") {
                try world.coverage.receive(message.payload) { world.ledger.epochs[$0]?.mayBeUnordered ?? false }
            } else if message.topic.hasSuffix("/state"), !message.payload.isEmpty {
                try state(message)
            }
        } catch {
            world.fail(error)
        }
    }

    private func gap(_ fields: Fields) throws(Violation) {
        let unit = fields.number("from_span") == nil ? "seq" : "span"
        guard let epoch = fields.string("epoch"), let from = fields.number("from_\(unit)"),
            let to = fields.number("to_\(unit)"), from <= to
        else { throw Violation(invariant: .gapsStated, detail: "a gap that can't be read") }
        gapCount += 1
        if unit == "seq" { world.ledger.stated(epoch, from...to) } else { world.coverage.stated(epoch, from...to) }
    }

    private func event(_ message: Message) throws(Violation) {
        let fields = Fields(message.payload)
        guard let name = fields.string("epoch"), let seq = fields.number("seq") else {
            throw Violation(invariant: .numberedOnce, detail: "an event without a number")
        }
        guard let epoch = world.ledger.epochs[name], let entry = epoch.entries[seq] else {
            early.append((name, seq, message.payload, message.topic))
            return
        }
        try check(message.payload, on: message.topic, against: entry, name, seq)
        if entry.payload != nil {
            repetitionCount += 1
            return
        }
        eventCount += 1
        if epoch.isStated(seq) {
            throw Violation(invariant: .gapsStated, detail: "event \(seq) came although a gap had said it would not")
        }
        world.ledger.received(name, seq, message.payload)
        guard !epoch.mayBeUnordered else { return }
        let missing = epoch.entries.filter {
            $0.key < seq && $0.value.payload == nil && $0.value.crossing != nil && !$0.value.mayBeLost
                && !epoch.isStated($0.key)
        }
        if let first = missing.keys.min() {
            throw Violation(invariant: .order, detail: "event \(seq) came before \(first)")
        }
    }

    private func check(_ payload: [UInt8], on topic: String, against entry: Ledger.Entry, _ epoch: String, _ seq: Int64)
        throws(Violation)
    {
        if let known = entry.payload, known != payload {
            throw Violation(invariant: .numberedOnce, detail: "event \(seq) came twice and differs")
        }
        guard let crossing = entry.crossing else { return }
        let type = Fields(payload).string("type")
        let isItsTopic = world.ledger.topics(ofEpoch: epoch)?.event(crossing.instance) == topic
        if !isItsTopic || type != (crossing.isEntry ? "enter" : "exit") {
            throw Violation(invariant: .numberedOnce, detail: "event \(seq) is not what the engine had told")
        }
    }

    /// A state names the last event of its instance, which has been committed by then.
    private func state(_ message: Message) throws(Violation) {
        guard let seq = Fields(message.payload).number("event_seq"), seq > 0 else { return }
        guard let instance = instance(ofTopic: message.topic) else { return }
        if !world.isInDoubt, !world.ledger.names(seq, instance) {
            throw Violation(
                invariant: .stateAgrees, detail: "\(message.topic) names event \(seq), which is not its own")
        }
    }

    /// A process has begun: what came early has to be known by now.
    func lifeBegan() {
        let waiting = early
        early = []
        for (epoch, seq, payload, topic) in waiting {
            do throws(Violation) {
                guard let entry = world.ledger.epochs[epoch]?.entries[seq] else {
                    early.append((epoch, seq, payload, topic))
                    continue
                }
                try check(payload, on: topic, against: entry, epoch, seq)
                if entry.payload == nil { world.ledger.received(epoch, seq, payload) }
                eventCount += 1
            } catch {
                return world.fail(error)
            }
        }
    }

    private func instance(ofTopic topic: String) -> RegionInstanceID? {
        world.witness.instances.first { world.topics.state($0) == topic }
    }
}
