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

            Exit status: 0 stopped; 75 it can't start now, such as where another agent uses the state folder; 78 the \
            configuration is wrong.
            """)

    @Option(help: .configurationFile)
    var config: String?

    func run() throws {
        let settings = try loadSettings(config)
        let agent = Agent(
            settings: settings, configurationPath: config, logger: Log.make(settings.log.level))
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
