@testable import Agent
@testable import Core

/// The messages of one number series that subscribers got: each number stands for one message, and at the end only
/// numbers in gaps are missing.
struct SeriesAccount<Content: Equatable> {
    private let series: NumberSeries
    private(set) var epochs: [String: [Int64: Content]] = [:]
    private var gaps: [String: [ClosedRange<Int64>]] = [:]
    private var numbered: [String: Int64] = [:]
    private(set) var count = 0
    private(set) var repetitionCount = 0

    init(_ series: NumberSeries) { self.series = series }

    /// A round of the delivery loop has ended.
    mutating func roundEnded(_ numbering: Numbering) { numbered[numbering.epoch] = numbering[series] - 1 }

    /// The number of messages that have got a number.
    var numberedCount: Int64 { numbered.values.reduce(0, +) }

    mutating func stated(_ epoch: String, _ numbers: ClosedRange<Int64>) {
        gaps[epoch, default: []].append(numbers)
    }

    /// - Parameter mayBeUnordered: whether the disk could not be read, or a message was refused, while messages of the
    /// epoch were waiting.
    mutating func receive(
        _ content: Content, number: Int64, in epoch: String, mayBeUnordered: Bool
    ) throws(Violation) {
        if let known = epochs[epoch]?[number] {
            repetitionCount += 1
            if known == content { return }
            throw Violation(invariant: .numberedOnce, detail: "\(series) \(number) came twice and differs")
        }
        if !mayBeUnordered, let missing = missing(in: epoch, before: number).first {
            throw Violation(invariant: .order, detail: "\(series) \(number) came before \(missing)")
        }
        count += 1
        epochs[epoch, default: [:]][number] = content
    }

    /// At the end every number has come or was given up.
    func check(_ numbering: Numbering) throws(Violation) {
        for (epoch, contents) in epochs.sorted(by: { $0.key < $1.key }) {
            let end = epoch == numbering.epoch ? numbering[series] : (contents.keys.max() ?? 0) + 1
            guard let missing = missing(in: epoch, before: end).first else { continue }
            throw Violation(
                invariant: .nothingLost, detail: "\(series) \(missing) of \(epoch) never came, and no gap says so")
        }
    }

    private func missing(in epoch: String, before end: Int64) -> [Int64] {
        (1..<max(1, end)).filter { number in
            epochs[epoch]?[number] == nil && !(gaps[epoch]?.contains { $0.contains(number) } ?? false)
        }
    }
}
