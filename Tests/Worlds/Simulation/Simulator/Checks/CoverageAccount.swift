@testable import Agent
@testable import Core

/// The coverage that subscribers received, compared with the times at which there was an agent.
struct CoverageAccount {
    var series = SeriesAccount<CoveragePayload>(.spans)
    private var lives: [(begin: Instant, end: Instant)] = []

    mutating func lifeBegan(at now: Instant) { lives.append((now, .distantFuture)) }

    mutating func lifeEnded(at now: Instant) {
        if let last = lives.indices.last { lives[last].end = now }
    }

    /// At the end every number has come or was given up, and the spans of an epoch follow each other.
    ///
    /// - Parameter clock: the wall clock's time at a true time; `nil` where the clock was set.
    func check(_ numbering: Numbering, clock: ((Instant) -> WallTime)?) throws(Violation) {
        try series.check(numbering)
        guard let clock else { return }
        for (_, spans) in series.epochs.sorted(by: { $0.key < $1.key }) {
            for (number, span) in spans.sorted(by: { $0.key < $1.key }) {
                if let next = spans[number + 1], next.content.from != span.content.to {
                    throw Violation(
                        invariant: .coverage, detail: "span \(number) does not end where the next begins")
                }
                try check(span, clock)
            }
        }
    }

    /// Without an agent no span may claim coverage. A drifting clock is wrong by a little.
    private func check(_ message: CoveragePayload, _ clock: (Instant) -> WallTime) throws(Violation) {
        let span = message.content
        if span.radio == .stopped { return }
        let tolerance = TimeSpan.seconds(1)
        let isTrue = lives.contains { life in
            clock(life.begin) - tolerance <= span.from
                && (life.end == .distantFuture || span.to <= clock(life.end) + tolerance)
        }
        if !isTrue {
            throw Violation(
                invariant: .coverage,
                detail: "span \(message.number.seq), \(span.radio.word), lies in no life of the agent")
        }
    }
}
