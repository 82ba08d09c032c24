import PayloadReaders

@testable import Core

/// A subscriber that keeps account as the contract requires: received numbers, and gaps.
final class Subscriber {
    private unowned let world: World
    /// Events that came before the checks knew them: the process ended in the round of their commit.
    private(set) var early: [(event: EventPayload, message: Message)] = []
    private(set) var eventCount = 0
    private(set) var repetitionCount = 0
    private(set) var gapCount = 0

    init(_ world: World) { self.world = world }

    /// The broker has refused a message: messages sent after it may come before it.
    func refused(_ message: Message) {
        if case .durable = subject(of: message)?.kind?.delivery { world.ledger.mayBeUnordered() }
    }

    /// Reads every message as a subscriber does, and checks that nothing in it is lost on the way.
    func receive(_ message: Message) {
        // An empty message clears its topic.
        if message.payload.isEmpty { return }
        do throws(Violation) {
            let (topic, payload) = try message.read(prefix: world.topics.prefix)
            switch payload {
            case let gap as GapPayload: state(gap)
            case let event as EventPayload: try receive(event, message)
            case let coverage as CoveragePayload:
                try world.coverage.series.receive(
                    coverage, number: coverage.number.seq, in: coverage.number.epoch,
                    mayBeUnordered: mayBeUnordered(coverage.number.epoch))
            case let place as LocationPayload: try world.tracks.receive(place)
            case let track as TrackPayload:
                try world.tracks.receive(
                    track, mayBeUnordered: mayBeUnordered(track.number.epoch),
                    mayComeAgain: !world.wasAlwaysCommitted)
            case let state as StatePayload: try receive(state, message, of: topic.subject)
            case let numbered as any NumberedPayload:
                let number = numbered.number
                try world.others[number.series]?.receive(
                    message.payload, number: number.seq, in: number.epoch, mayBeUnordered: mayBeUnordered(number.epoch))
            default: break
            }
        } catch {
            world.fail(error)
        }
    }

    private func mayBeUnordered(_ epoch: String) -> Bool { world.ledger.epochs[epoch]?.mayBeUnordered ?? false }

    private func subject(of message: Message) -> Topic.Subject? {
        Topic(message.topic, prefix: world.topics.prefix)?.subject
    }

    private func state(_ gap: GapPayload) {
        gapCount += 1
        switch gap.series {
        case .events: world.ledger.stated(gap.epoch, gap.numbers)
        case .spans: world.coverage.series.stated(gap.epoch, gap.numbers)
        case .batches: world.tracks.stated(gap.epoch, gap.numbers)
        default: world.others[gap.series]?.stated(gap.epoch, gap.numbers)
        }
    }

    private func receive(_ event: EventPayload, _ message: Message) throws(Violation) {
        let (name, seq) = (event.epoch, event.seq)
        guard let epoch = world.ledger.epochs[name], let entry = epoch.entries[seq] else {
            early.append((event, message))
            return
        }
        try check(event, message, against: entry)
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

    private func check(_ event: EventPayload, _ message: Message, against entry: Ledger.Entry) throws(Violation) {
        if let known = entry.payload, known != message.payload {
            throw Violation(invariant: .numberedOnce, detail: "event \(event.seq) came twice and differs")
        }
        guard let crossing = entry.crossing else { return }
        let isItsTopic = world.ledger.topics(ofEpoch: event.epoch)?.event(crossing.instance) == message.topic
        if !isItsTopic || (event.exit == nil) != crossing.isEntry {
            throw Violation(invariant: .numberedOnce, detail: "event \(event.seq) is not what the engine had published")
        }
    }

    /// Checks that a state names the last event of its instance, which is committed by then.
    private func receive(_ state: StatePayload, _ message: Message, of subject: Topic.Subject) throws(Violation) {
        guard subject == .region(.state, state.instance) else {
            throw Violation(invariant: .stateAgrees, detail: "\(message.topic) names \(state.instance)")
        }
        let isOwn = message.topic == world.topics.state(state.instance)
        guard state.eventSeq > 0, isOwn, world.instances.contains(state.instance) else { return }
        if !world.isInDoubt, !world.ledger.names(state.eventSeq, state.instance) {
            throw Violation(
                invariant: .stateAgrees, detail: "\(message.topic) names event \(state.eventSeq), which is not its own")
        }
    }

    /// A process has begun: early events have to be known by now.
    func lifeBegan() {
        let waiting = early
        early = []
        for (event, message) in waiting {
            do throws(Violation) {
                guard let entry = world.ledger.epochs[event.epoch]?.entries[event.seq] else {
                    early.append((event, message))
                    continue
                }
                try check(event, message, against: entry)
                if entry.payload == nil { world.ledger.received(event.epoch, event.seq, message.payload) }
                eventCount += 1
            } catch {
                return world.fail(error)
            }
        }
    }
}

extension Message {
    /// Reads a message as a subscriber does. Written again, it must have the same octets.
    func read(prefix: String) throws(Violation) -> (topic: Topic, payload: any Payload) {
        guard let topic = Topic(topic, prefix: prefix), let kind = topic.subject.kind else {
            throw Violation(invariant: .readable, detail: "\(self.topic) is no topic of the contract")
        }
        let payload: any Payload
        do throws(PayloadError) {
            payload = try kind.payload.init(decoding: self.payload)
        } catch {
            throw Violation(invariant: .readable, detail: "\(self.topic): \(error)")
        }
        guard payload.encoded == self.payload else {
            throw Violation(invariant: .readable, detail: "\(self.topic) is read and written otherwise")
        }
        return (topic, payload)
    }
}
