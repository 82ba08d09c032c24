import ArgumentParser
import Configuration

/// `beacond run`: the daemon.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Scan, monitor, range and publish until stopped.",
        discussion: """
            SIGTERM and SIGINT stop it: what is known is published first, and the state is kept. SIGHUP has the configuration \
            read again.
            """)

    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?

    func run() throws {
        let settings = try loadSettings(config)
        let agent = Agent(settings: settings, configurationPath: config)
        do {
            try AsyncWork.finish {
                var agent = agent
                try await agent.run()
            }
        } catch let problem as Agent.Problem {
            Output.complain("\(problem)")
            throw ExitCode.temporaryFailure
        }
    }
}
