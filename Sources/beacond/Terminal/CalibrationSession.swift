import Agent
import ArgumentParser
import Core
import Glibc
import Logging

/// A run of `beacond calibrate`: collects readings for some time, counted from the start of scanning.
struct CalibrationSession {
    private let settings: Settings
    private let shared: SharedRadio<Calibration>
    private let duration: TimeSpan
    private let isTerminal = isatty(STDERR_FILENO) == 1

    init(_ settings: Settings, _ target: BeaconIdentityConstraint, duration: TimeSpan) {
        self.settings = settings
        self.shared = SharedRadio(Calibration(target))
        self.duration = duration
    }

    /// Works until the time is over, or a signal ends it; readings until then count.
    ///
    /// - Throws: `SystemError`, `CalibrationError.neverScanned`, and `ExitCode.noPermission` where waiting will not
    /// help.
    mutating func run() throws -> Calibration {
        SignalBell.install([SIGINT, SIGTERM, SIGHUP])
        let loop = try CommandRadio(settings, logger: Log.make(.notice))
        let owner = SharedRadioOwner(shared: shared) { calibration, event, _, _ in calibration.receive(event) }
        try loop.start(owner: owner)
        defer { loop.stop() }
        var status = RadioStatus(settings)
        var end: Instant?
        var next = SystemClock.now
        while end.map({ SystemClock.now < $0 }) ?? true {
            if !SignalBell.wait(until: min(next, end ?? next)).isEmpty { break }
            let former = status.availability
            status.record(shared.withLock(\.availability))
            if let availability = status.availability, availability != former {
                let remedy = status.remedy.isEmpty ? "" : ": " + status.remedy
                write("\(status.adapters): \(availability.rawValue)\(remedy)\n")
                if availability == .unauthorized { throw ExitCode.noPermission }
                if availability == .scanning, end == nil { end = SystemClock.now + duration }
            }
            if let end { writeProgress(left: end - SystemClock.now) }
            next = SystemClock.now + (end == nil || isTerminal ? .milliseconds(500) : .seconds(5))
        }
        if isTerminal { write("\r\u{1B}[K") }
        if end == nil { throw CalibrationError.neverScanned }
        return shared.withLock(\.content)
    }

    /// Writes to standard error: over the former line of a terminal, or one line every 5 s.
    private func writeProgress(left: TimeSpan) {
        let line = CalibrationReport.progress(shared.withLock(\.content).statistics, left_s: max(0, left.seconds))
        write(isTerminal ? "\r" + line + "\u{1B}[K" : line + "\n")
    }

    private func write(_ text: String) { Output.write(text, to: STDERR_FILENO) }
}
