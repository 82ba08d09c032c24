import ArgumentParser
import Core

/// `beacond run`: the daemon.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Listen to iBeacons and publish their events, until stopped.",
        discussion: """
            On SIGTERM and SIGINT it publishes what it knows, keeps its state and ends. On SIGHUP it reads the configuration \
            again; a wrong one is refused, and the old one stays.

            Exit status: 0 stopped; 75 it can't start now, because another agent uses the state folder, or because too few files may \
            be opened or too little memory is to be had; 78 the configuration is wrong.
            """)

    @Option(help: .configurationFile)
    var config: String?

    func run() throws {
        try StartReserve.orExit()
        let file = try loadConfiguration(config, for: .gateway)
        try Agent(file, configurationPath: config).runOrSay()
    }
}

extension Agent {
    /// Works until it is stopped, or prints what prevents that and exits with 75.
    func runOrSay() throws {
        do {
            try AsyncWork.finish {
                var agent = self
                try await agent.run()
            }
        } catch {
            // A fault of the start, or one that ended a part later, such as a missing thread.
            Output.complain("\(error)")
            throw ExitCode.temporaryFailure
        }
    }
}
