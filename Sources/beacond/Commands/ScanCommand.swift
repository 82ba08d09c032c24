import Agent
import ArgumentParser
import Core
import Glibc

/// `beacond scan`: shows the iBeacons in the air, for a person who installs beacons.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show a live table of the iBeacons in the air.",
        discussion: """
            The nearest beacon stands first. Beacons that fell silent are 'unknown' and stand last. Smoothing, distances \
            and regions come from the configuration, or from the defaults where there is none.

            RSSI is the smoothed strength in dBm, DIST m the estimated distance in metres, /s the reports that arrive in a \
            second, and AGE s the seconds since the last one. An ADDRESS that is or static stays; a private one \
            changes every quarter of an hour. REGIONS names the configured regions that the beacon belongs to. In front of \
            them stands 'resolving' for a new address that may be an old beacon, and 'duplicate' where two beacons have \
            one identity.

            Without a terminal the table is printed as lines, once a second, or as JSON with --json. Without an adapter \
            scan says what is missing and waits. Ctrl-C ends it.

            Exit status: 0 stopped; 73 the capture can't be created; 74 the capture could not be written to the end; \
            78 the configuration is wrong.
            """)

    @Option(help: .configurationFile)
    var config: String?

    @Flag(help: "Show where this machine is as well, by gpsd's receivers.")
    var location = false

    @Flag(help: "One JSON object a second on standard output.")
    var json = false

    @Option(
        name: .customLong("write"),
        help: ArgumentHelp(
            "Write all HCI events to this btsnoop file, for 'beacond replay' and 'btmon -r'; - is standard output.",
            valueName: "capture"))
    var capture: String?

    @Option(help: ArgumentHelp("End after so many seconds.", valueName: "n"))
    var seconds: Int64?

    func validate() throws {
        if let seconds, !(1...31 * 86_400).contains(seconds) {
            throw ValidationError("--seconds \(seconds): must be 1 to \(31 * 86_400)")
        }
        guard capture == "-" else { return }
        if json { throw ValidationError("--write - and --json: only one of them can be standard output") }
        if isatty(STDOUT_FILENO) == 1 {
            throw ValidationError("--write -: standard output is a terminal; a capture is no text")
        }
    }

    func run() throws {
        try StartReserve.orExit()
        let settings = try loadSettingsOrDefaults(config)
        let duration = seconds.map { TimeSpan.seconds(Double($0)) } ?? .forever
        var failure: FileError?
        do {
            let place = location ? try ScanPlace(settings.gateway.location, at: SystemClock.now) : nil
            var session = try ScanSession(
                settings, view: ScanView(form), capture: capture, place: place, duration: duration)
            failure = try session.run()
        } catch let error as FileError {
            Output.complain("\(error)")
            throw ExitCode.cantCreate
        } catch let error as SystemError {
            Output.complain("\(error)")
            throw ExitCode.temporaryFailure
        }
        if let failure {
            Output.complain("\(failure); what was written before can be read")
            throw ExitCode.ioError
        }
    }

    private var form: ScanView.Form {
        if capture == "-" { return .silent }
        if json { return .json }
        return Terminal.isThere ? .picture(Terminal()) : .plain
    }
}
