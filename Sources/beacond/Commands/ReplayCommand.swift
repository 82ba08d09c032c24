import Agent
import ArgumentParser
import Core

/// `beacond replay`: a capture through the whole engine.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run a btsnoop capture through the whole engine.",
        discussion: """
            A capture is what 'btmon -w FILE' or 'beacond scan --write FILE' writes, a log of receivers what 'gpspipe -w' \
            writes; both are merged by time. Time is their own, so the same input and the same configuration always give \
            the same output. A damaged line of a log is counted and skipped.

            Exit status: 0 all of it was read; 65 the capture is damaged, and everything before the damage was read; 66 it \
            can't be opened; 74 the output could not be written to the end; 75 the state could not be stored in the state folder, or SIGINT \
            or SIGTERM came before everything was read and delivered; 78 the configuration is wrong.
            """)

    @Argument(help: ArgumentHelp("The btsnoop file or a pipe; - for standard input.", valueName: "capture"))
    var capture: String?

    @Option(
        help: ArgumentHelp(
            "What gpsd's receivers said, as 'gpspipe -w' writes it; beside a capture or in its place.", valueName: "log"
        ))
    var location: String?

    @Option(help: .configurationFile)
    var config: String?

    @Option(help: "jsonl: print each message as a line; none: only the closing line; mqtt: publish to the broker.")
    var output = Replay.Options.Output.jsonl

    @Option(
        help: ArgumentHelp(
            "1: in real time; 20: twenty times as fast; max: as fast as it goes; present: as fast as it goes up to the present, then in real time.",
            valueName: "speed"))
    var speed: Replay.Options.Pace = .full

    @Option(help: ArgumentHelp("Keep the state in this folder, not in memory.", valueName: "dir"))
    var state: String?

    func validate() throws {
        if capture == nil, location == nil {
            throw ValidationError("Missing expected argument '<capture>': give one, or --location <log>, or both.")
        }
        if capture == "-", location == "-" {
            throw ValidationError("Only one of the two can be standard input.")
        }
    }

    func run() throws {
        try StartReserve.orExit()
        var settings = try loadSettings(config)
        StartReserve.forbidDumps(settings)
        if location != nil {
            // A log that was named is used, whatever the source of a live gateway is.
            settings.gateway.location = settings.gateway.location ?? .defaults
            settings.gateway.location?.source = .gpsd(host: "", port: 0)
        }
        var replay = Replay(
            settings: settings, options: Replay.Options(output: output, pace: speed, stateDirectory: state),
            logger: Log.make(settings.log.level))
        let problem = replay.run(path: capture, locationLog: location)
        if let problem { Output.complain(problem.line(capture: capture ?? "")) }
        // A summary of a capture that can't be read at all would be a row of zeros.
        if problem?.isOfInput != true || replay.hasBegun { Output.complain(replay.summary) }
        if let problem { throw problem.status }
    }
}

extension Replay.Options.Output: ExpressibleByArgument {}

extension Replay.Options.Pace: ExpressibleByArgument {
    /// `max`, `present`, or seconds of capture a second.
    init?(argument: String) {
        if argument == "max" {
            self = .full
        } else if argument == "present" {
            self = .present
        } else if let times = Double(argument), times.isFinite, (0.001...1_000_000).contains(times) {
            self = .times(times)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "max" }
}

extension Replay.Problem {
    /// True if the capture or the log can't be read.
    fileprivate var isOfInput: Bool {
        switch self {
        case .capture, .locationLog: true
        case .outbox, .unstored, .output, .stopped, .interrupted: false
        }
    }

    func line(capture: String) -> String {
        switch self {
        case .capture(.file(let error)), .locationLog(let error): "\(error)"
        case .capture(.capture(let error)): "\(capture): \(error)"
        case .outbox(let error): "\(error)"
        case .unstored(let fault): "the state is not stored: \(fault.finding) in the state folder; \(fault.remedy)"
        case .output(let error): "\(error)"
        case .interrupted: "stopped by a signal before everything was read"
        case .stopped:
            "stopped before everything was read and delivered; what is left waits in the state folder, if there is one"
        }
    }

    var status: ExitCode {
        switch self {
        case .capture(.file), .locationLog: .noInput
        case .capture(.capture): .dataError
        case .output: .ioError
        case .outbox, .unstored, .stopped, .interrupted: .temporaryFailure
        }
    }
}
