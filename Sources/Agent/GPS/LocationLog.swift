import Core

/// A log of `gpspipe -w` for a replay: gpsd's lines, each with its time of arrival.
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
    /// The last time in a line, which tells how fresh a compass heading is.
    private var last = Instant.origin
    /// Lines so far that gpsd cannot have written.
    package private(set) var malformedCount = 0

    /// Entries that waited in vain for a line with a time.
    package var undatedCount: Int { clock.undatedCount }

    package init() {}

    /// Reads the next piece of the log, which may end in the middle of a line.
    ///
    /// - Returns: the entries whose time of arrival is known by now, in order.
    package mutating func read(_ octets: some Collection<UInt8>) -> [LogClock<Entry>.Dated] {
        var complete: [GPSDLines.Line] = []
        lines.append(octets) { complete.append($0) }
        return complete.flatMap { read($0) }
    }

    /// Ends the log, perhaps in the middle of its last line.
    package mutating func finish() -> [LogClock<Entry>.Dated] { read([UInt8(ascii: "\n")]) + clock.finish() }

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
