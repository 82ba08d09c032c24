import ArgumentParser
import Core

/// `beacond site`: several gateways as one store.
struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Join the gateways of a store, and publish what they say together.",
        discussion: """
            It is one more gateway, called 'site': the same topics, payloads, numbers and promises. With --replay it reads what \
            'beacond replay --output jsonl' printed for each gateway, merged by time of arrival, and prints the store's messages; the \
            same input always gives the same output. A damaged line is counted and skipped.

            Exit status: 0 stopped, or all of it was read; 66 a file can't be opened; 74 the output could not be written to the \
            end; 75 the state folder can't be used; 78 the configuration is wrong.
            """,
        subcommands: [SiteCheckCommand.self, SiteCalibrateCommand.self, SiteWalkCommand.self])

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("What gateways printed, one file for each; - for standard input.", valueName: "file"))
    var replay: [String] = []

    @Option(help: .configurationFile)
    var config: String?

    func run() throws {
        try StartReserve.orExit()
        let file = try loadConfiguration(config, for: .site)
        guard !replay.isEmpty else {
            return try Agent(file, configurationPath: config, role: .site).runOrSay()
        }
        let settings = file.settings
        let site = settings.site ?? settings.siteDefaults
        var run = SiteReplay(site, settings, logger: Log.make(settings.log.level))
        let problem = run.run(replay)
        if let problem { Output.complain(problem.line) }
        if problem == nil || run.hasBegun { Output.complain(run.summary) }
        if let problem { throw problem.status }
    }
}

extension SiteReplay.Problem {
    fileprivate var line: String {
        switch self {
        case .file(let error), .output(let error): "\(error)"
        case .outbox(let error): "\(error)"
        }
    }

    fileprivate var status: ExitCode {
        switch self {
        case .file: .noInput
        case .outbox: .temporaryFailure
        case .output: .ioError
        }
    }
}
