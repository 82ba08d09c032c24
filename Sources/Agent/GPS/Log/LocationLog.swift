import Core

/// What receivers said, as `gpspipe -w` wrote it down: gpsd's lines, each with when it came. For a replay.
package struct LocationLog: Sendable {
    /// A line that a replay needs.
    package enum Entry: Hashable, Sendable {
        case report(DeviceReport)
        /// The paths of the receivers that gpsd has.
        case devices([String])
    }

    private var lines = GPSDLines()
    private var decoder = GPSDDecoder()
    private var clock = LogClock<Entry>()
    /// The last time in a line, for the freshness of a compass.
    private var last = Instant.origin
    /// Lines that are none of gpsd's, so far.
    package private(set) var malformedCount = 0

    /// Entries that have waited in vain for a line with a time.
    package var undatedCount: Int { clock.undatedCount }

    package init() {}

    /// Reads the next piece of the log, which may end anywhere.
    ///
    /// - Returns: the entries of which it is known by now when they came, in their order.
    package mutating func read(_ octets: some Collection<UInt8>) -> [LogClock<Entry>.Dated] {
        var complete: [GPSDLines.Line] = []
        lines.append(octets) { complete.append($0) }
        return complete.flatMap { read($0) }
    }

    /// The log has ended, perhaps in the middle of its last line.
    package mutating func finish() -> [LogClock<Entry>.Dated] {
        read([UInt8(ascii: "\n")]) + clock.finish()
    }

    private mutating func read(_ line: GPSDLines.Line) -> [LogClock<Entry>.Dated] {
        guard case .text(let text) = line, let message = try? decoder.read(text, at: last) else {
            malformedCount += 1
            return []
        }
        switch message {
        case .fix(let report):
            if let time = report.report.at { last = Instant(microseconds: time.microseconds) }
            return clock.take(.report(report), time: report.report.at)
        case .devices(let paths): return clock.take(.devices(paths), time: nil)
        case .version, .device, .watch, .attitude, .error, .other: return []
        }
    }
}
