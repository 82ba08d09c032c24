import Agent
import Core
import Glibc

/// Prints every message as one line, or prints nothing. A printed message counts as delivered, so the outbox need not
/// keep it.
final class PrintingSink: MessageSink {
    /// The `t` of a line.
    enum Stamp {
        /// The time at which it happened.
        case occurrence
        /// The time at which it is published, which may be a little later.
        case publishing
    }

    private let isSilent: Bool
    private let stamp: Stamp
    private let dispatcher: Dispatcher
    private let output = Output(descriptor: STDOUT_FILENO)
    /// The first numbers of this process: events that an earlier process left must stay in the outbox.
    private let first: Numbering
    private let start: Instant
    private var lines = LineTimes()

    /// - Parameter start: the time at which `t` is 0.
    init(_ dispatcher: Dispatcher, since start: Instant, stamp: Stamp, isSilent: Bool = false) {
        self.dispatcher = dispatcher
        self.start = start
        self.stamp = stamp
        self.isSilent = isSilent
        first = dispatcher.outbox.numbering
    }

    /// True if the reader is gone, or writing failed.
    var isBroken: Bool { output.isBroken }

    /// The error of writing; `nil` where all was written, or where the reader closed the pipe.
    var failure: FileError? { output.failure }

    func take(_ items: [Dispatcher.Dispatched], at now: Instant) {
        for item in items {
            switch item.content {
            case .message(let message): write(message, at: stamp == .publishing ? now : item.at)
            case .failure(let failure): Output.complain("\(failure)")
            case .notice(let notice): Output.complain("\(notice)")
            case .entityLimit(let limit): Output.complain("\(limit)")
            // A replay clears each state at once, so none of them waits.
            case .unlistedState: break
            }
        }
        acknowledge()
        tidy(items)
    }

    private func write(_ message: Message, at instant: Instant) {
        if isSilent { return }
        for piece in JSONLine.pieces(message, t_s: lines.next(instant, since: start).seconds) { output.write(piece) }
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

    /// Records cleared topics, since a replay clears them at once.
    private func tidy(_ items: [Dispatcher.Dispatched]) {
        let clearedTopics = items.compactMap { item in
            if case .message(let message) = item.content, message.clearsTopic { message.topic } else { nil }
        }
        do throws(OutboxError) {
            try dispatcher.tidy(clearedTopics: clearedTopics)
        } catch {
            Output.complain("\(error)")
        }
    }

    func clear(former messages: [Message]) { take(messages.map { .init(at: start, content: .message($0)) }, at: start) }

    /// A replay has no will.
    func setWill(_ message: Message) {}

    func takeIncoming() -> [IncomingMessage] { [] }

    /// Flushes the output, so that it does not wait for later lines.
    func run(for timeout: TimeSpan, wake: Int32) {
        let timeout_ms = Int32(clamping: (timeout.microseconds + 999) / 1_000)
        guard timeout_ms > 0 else { return }
        output.flush()
        var input = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
        poll(&input, 1, timeout_ms)
    }

    var delivery: DeliveryCounters? { nil }

    var isDelivered: Bool { true }

    func close(_ offline: Message, at now: Instant) {
        write(offline, at: now)
        output.flush()
    }
}

/// The times of a replay's lines. No line is earlier than the line before it: some messages, such as the end of a span
/// of coverage, are published later than their own time.
struct LineTimes {
    private var latest = TimeSpan.zero

    mutating func next(_ instant: Instant, since start: Instant) -> TimeSpan {
        latest = max(latest, instant - start)
        return latest
    }
}
