import Core

/// From gpsd's lines to what they say, with the compass of each receiver in its next fix. It serves the live connection, and
/// logs as `gpspipe -w` writes them.
struct GPSDDecoder: Sendable {
    /// For how long a heading is fresh: receivers tell it about once a second.
    static let freshHeading = TimeSpan.seconds(2)

    private struct Heading {
        var device: String
        var heading_deg: Double
        package var at: Instant
    }

    /// One a receiver at most, and `GPSDMessage.maxDevices` altogether; the oldest first.
    private var headings: [Heading] = []

    init() {}

    /// Reads a line without its line feed.
    ///
    /// - Parameter now: when it came. In a log that is the time of the last TPV line before it.
    /// - Throws: where the line is damaged.
    mutating func read(_ line: some Collection<UInt8>, at now: Instant) throws(GPSDMalformedLine) -> GPSDMessage {
        let message = try GPSDMessage(line: line)
        switch message {
        case .attitude(let device, let heading_deg):
            headings.removeAll { $0.device == device }
            guard let heading_deg else { break }
            if headings.count >= GPSDMessage.maxDevices { headings.removeFirst() }
            headings.append(Heading(device: device, heading_deg: heading_deg, at: now))
        case .fix(var fix):
            guard let index = headings.firstIndex(where: { $0.device == fix.device }) else { break }
            // It is told once: a compass that has broken down does not point the same way for ever.
            let heading = headings.remove(at: index)
            guard now - heading.at <= Self.freshHeading else { break }
            fix.report.heading_deg = heading.heading_deg
            return .fix(fix)
        default: break
        }
        return message
    }
}
