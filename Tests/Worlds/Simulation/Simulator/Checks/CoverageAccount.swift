import HCI
import Messages
import Outbox

/// What subscribers were told of when the gateway could hear, held against when there was an agent at all.
struct CoverageAccount {
    private var epochs: [String: [Int64: CoveragePayload]] = [:]
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
    mutating func roundEnded(_ numbering: Numbering) { numbered[numbering.epoch] = numbering[.spans] - 1 }

    /// How many spans have got a number.
    var numberedCount: Int64 { numbered.values.reduce(0, +) }

    mutating func stated(_ epoch: String, _ numbers: ClosedRange<Int64>) {
        gaps[epoch, default: []].append(numbers)
    }

    /// - Parameter mayBeUnordered: the disk could not be read, or a message was refused, while messages of the epoch were waiting.
    mutating func receive(_ span: CoveragePayload, mayBeUnordered: (String) -> Bool) throws(Violation) {
        let (epoch, number) = (span.epoch, span.span)
        if let known = epochs[epoch]?[number] {
            repetitionCount += 1
            if known == span { return }
            throw Violation(invariant: .numberedOnce, detail: "span \(number) came twice and differs")
        }
        if !mayBeUnordered(epoch), let missing = missing(in: epoch, before: number).first {
            throw Violation(invariant: .order, detail: "span \(number) came before \(missing)")
        }
        spanCount += 1
        epochs[epoch, default: [:]][number] = span
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
            let end = epoch == numbering.epoch ? numbering[.spans] : (spans.keys.max() ?? 0) + 1
            if let missing = missing(in: epoch, before: end).first {
                throw Violation(
                    invariant: .nothingLost, detail: "span \(missing) of \(epoch) never came, and no gap says so")
            }
            guard let clock else { continue }
            for (number, span) in spans.sorted(by: { $0.key < $1.key }) {
                if let next = spans[number + 1], next.from != span.to {
                    throw Violation(
                        invariant: .coverage,
                        detail: "span \(number) does not end where the next begins")
                }
                try check(span, clock)
            }
        }
    }

    /// Nothing was heard, and no adapter was looked at, where there was no agent. A drifting clock is off by a little.
    private func check(_ span: CoveragePayload, _ clock: (Instant) -> WallTime) throws(Violation) {
        if span.radio == .stopped { return }
        let tolerance = TimeSpan.seconds(1)
        let isTrue = lives.contains { life in
            clock(life.begin) - tolerance <= span.from
                && (life.end == .distantFuture || span.to <= clock(life.end) + tolerance)
        }
        if !isTrue {
            throw Violation(
                invariant: .coverage, detail: "span \(span.span), \(span.radio.word), lies in no life of the agent")
        }
    }
}
