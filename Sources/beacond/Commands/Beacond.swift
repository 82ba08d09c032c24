import Agent
import ArgumentParser
import Core

/// The command line.
@main
struct Beacond: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacond",
        abstract: """
            Listens to the iBeacons around this machine and publishes to MQTT which regions are entered and left, and how near \
            the beacons are.
            """,
        version: Version.current,
        subcommands: [
            RunCommand.self, CheckCommand.self, SettingsCommand.self, ScanCommand.self, AdvertiseCommand.self,
            CalibrateCommand.self,
            ReplayCommand.self, SiteCommand.self, SimulateCommand.self,
        ])

    static func main() {
        if let complaint = complaint(about: CommandLine.arguments.dropFirst().first) {
            Output.complain(complaint)
            exit(withError: ExitCode.validationFailure)
        }
        main(nil)
    }

    /// The message for a first word that names no command, with the command that was probably meant. ArgumentParser would call the word
    /// an unexpected argument.
    static func complaint(about word: String?) -> String? {
        let commands = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        guard let word, !word.hasPrefix("-"), !commands.contains(word) else { return nil }
        let meant = Suggestion.nearest(to: word, in: commands).map { "did you mean \($0)?" }
        return "beacond has no command '\(word)': \(meant ?? "'beacond --help' lists the commands")"
    }
}

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
