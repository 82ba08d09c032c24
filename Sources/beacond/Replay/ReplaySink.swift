import Agent
import Core
import Glibc

/// Where the messages of a replay go.
protocol ReplaySink {
    /// Takes what came together. Its events stand in the outbox.
    ///
    /// - Parameters:
    ///   - start: of the capture.
    ///   - timebase: how the capture's clock is set by now.
    mutating func take(_ items: [Dispatcher.Dispatched], start: Instant, _ timebase: Timebase)

    /// Lets real time pass, at most until `deadline`, and does what there is to do meanwhile.
    mutating func wait(until deadline: Instant)

    /// Lets real time pass until there is something to read from `descriptor`, or its end.
    ///
    /// - Returns: `false` where a signal ended the waiting.
    mutating func waitForInput(_ descriptor: Int32) -> Bool

    /// Everything was handed over.
    ///
    /// - Returns: why not all of it arrived; `nil` where it did.
    mutating func finish() -> Replay.Problem?

    /// Nothing is wanted any more.
    var isStopped: Bool { get }
}

/// When the lines of a replay come, which is never before the line above: some messages, such as the end of a span of coverage, are told later
/// later than what they tell of.
struct LineTimes {
    private var latest = TimeSpan.zero

    mutating func next(_ instant: Instant, since start: Instant) -> TimeSpan {
        latest = max(latest, instant - start)
        return latest
    }
}

/// Prints every message as one line, or nothing at all. Printed is delivered: the outbox need not keep it.
struct PrintingSink: ReplaySink {
    private let isSilent: Bool
    private let dispatcher: Dispatcher
    private let signals: StopSignals
    private let output = Output(descriptor: STDOUT_FILENO)
    /// Events that an earlier process left behind are not ours to drop.
    private let first: Numbering
    private var lines = LineTimes()

    init(isSilent: Bool, dispatcher: Dispatcher, signals: StopSignals) {
        self.signals = signals
        self.isSilent = isSilent
        self.dispatcher = dispatcher
        first = dispatcher.outbox.numbering
    }

    var isStopped: Bool { output.isBroken || signals.arePending }

    mutating func take(_ items: [Dispatcher.Dispatched], start: Instant, _ timebase: Timebase) {
        for item in items {
            switch item.content {
            case .message(let message):
                if isSilent { continue }
                for piece in JSONLine.pieces(message, t_s: lines.next(item.at, since: start).seconds) {
                    output.write(piece)
                }
            case .failure(let failure):
                Output.complain("\(failure)")
            case .notice(let notice):
                Output.complain("\(notice)")
            case .entityLimit(let limit):
                Output.complain("\(limit)")
            // A replay clears each state at once, so none of them waits.
            case .unlistedState: break
            }
        }
        acknowledge()
        let clearedTopics = items.compactMap { item in
            if case .message(let message) = item.content, message.clearsTopic { message.topic } else { nil }
        }
        do throws(OutboxError) {
            try dispatcher.tidy(clearedTopics: clearedTopics)
        } catch {
            Output.complain("\(error)")
        }
    }

    mutating func wait(until deadline: Instant) {
        output.flush()
        while !isStopped, SystemClock.now < deadline {
            let left = min(PublishingSink.round, deadline - SystemClock.now)
            usleep(UInt32(clamping: max(1, left.microseconds)))
        }
    }

    mutating func waitForInput(_ descriptor: Int32) -> Bool { signals.waitForInput(descriptor) }

    mutating func finish() -> Replay.Problem? {
        output.flush()
        return output.failure.map { .output($0) }
    }

    private func acknowledge() {
        let outbox = dispatcher.outbox
        while true {
            let page = outbox.next(limit: 1_000)
            if page.isEmpty { return }
            outbox.acknowledge(
                page.filter { $0.number.epoch != first.epoch || $0.number.seq >= first[$0.number.series] }.map(
                    \.position))
        }
    }
}
