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
