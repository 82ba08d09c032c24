import HCI
import Messages
import Outbox

/// What subscribers were told of when the gateway could hear, held against when there was an agent at all.
struct CoverageAccount {
    private struct Span {
        var payload: [UInt8]
        var from: String
        var to: String
        var radio: String
    }

    private var epochs: [String: [Int64: Span]] = [:]
    private var gaps: [String: [ClosedRange<Int64>]] = [:]
    private var lives: [(begin: Instant, end: Instant)] = []
    private var numbered: [String: Int64] = [:]
    private(set) var spanCount = 0
    private(set) var repetitionCount = 0

    mutating func lifeBegan(at now: Instant) { lives.append((now, .distantFuture)) }

    mutating func lifeEnded(at now: Instant) {
        if let last = lives.indices.last { lives[last].end = now }
    }

    /// A round of the delivery loop is over.
    mutating func roundEnded(_ numbering: Numbering) { numbered[numbering.epoch] = numbering.nextSpan - 1 }

    /// How many spans have got a number.
    var numberedCount: Int64 { numbered.values.reduce(0, +) }

    mutating func stated(_ epoch: String, _ numbers: ClosedRange<Int64>) {
        gaps[epoch, default: []].append(numbers)
    }

    /// - Parameter mayBeUnordered: the disk could not be read, or a message was refused, while messages of the epoch were waiting.
    mutating func receive(_ payload: [UInt8], mayBeUnordered: (String) -> Bool) throws(Violation) {
        let fields = Fields(payload)
        guard let epoch = fields.string("epoch"), let number = fields.number("span"),
            let from = fields.string("from_at"), let to = fields.string("to_at"), let radio = fields.string("radio")
        else { throw Violation(invariant: .coverage, detail: "a span that can't be read") }
        if let known = epochs[epoch]?[number] {
            repetitionCount += 1
            if known.payload == payload { return }
            throw Violation(invariant: .numberedOnce, detail: "span \(number) came twice and differs")
        }
        if from > to { throw Violation(invariant: .coverage, detail: "span \(number) ends before it begins") }
        if !mayBeUnordered(epoch), let missing = missing(in: epoch, before: number).first {
            throw Violation(invariant: .order, detail: "span \(number) came before \(missing)")
        }
        spanCount += 1
        epochs[epoch, default: [:]][number] = Span(payload: payload, from: from, to: to, radio: radio)
    }

    private func missing(in epoch: String, before end: Int64) -> [Int64] {
        (1..<max(1, end)).filter { number in
            epochs[epoch]?[number] == nil && !(gaps[epoch]?.contains { $0.contains(number) } ?? false)
        }
    }

    /// In the end every number has come or was given up, and the spans of an epoch follow each other.
    ///
    /// - Parameter clock: what the time of day is at a true time; `nil` where it was set.
    func check(_ numbering: Numbering, clock: ((Instant) -> WallTime)?) throws(Violation) {
        for (epoch, spans) in epochs.sorted(by: { $0.key < $1.key }) {
            let end = epoch == numbering.epoch ? numbering.nextSpan : (spans.keys.max() ?? 0) + 1
            if let missing = missing(in: epoch, before: end).first {
                throw Violation(
                    invariant: .nothingLost, detail: "span \(missing) of \(epoch) never came, and no gap says so")
            }
            guard let clock else { continue }
            for (number, span) in spans.sorted(by: { $0.key < $1.key }) {
                if let next = spans[number + 1], next.from != span.to {
                    throw Violation(
                        invariant: .coverage,
                        detail: "span \(number) ends at \(span.to), the next begins at \(next.from)")
                }
                try check(span, number, clock)
            }
        }
    }

    /// Nothing was heard, and no adapter was looked at, where there was no agent. A drifting clock is off by a little.
    private func check(_ span: Span, _ number: Int64, _ clock: (Instant) -> WallTime) throws(Violation) {
        if span.radio == CoveredRadio.stopped.word { return }
        let tolerance = TimeSpan.seconds(1)
        let isTrue = lives.contains { life in
            Timestamp.text(clock(life.begin) - tolerance) <= span.from
                && (life.end == .distantFuture || span.to <= Timestamp.text(clock(life.end) + tolerance))
        }
        if !isTrue {
            throw Violation(
                invariant: .coverage,
                detail: "span \(number), \(span.radio), from \(span.from) to \(span.to), lies in no life of the agent")
        }
    }
}
