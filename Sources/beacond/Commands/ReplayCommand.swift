import ArgumentParser
import Configuration
import Gateway
import Glibc
import HCI
import Messages

/// `beacond replay`: a capture through the whole engine.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run a btsnoop capture through the whole engine.",
        discussion: """
            The capture's own timestamps are time, so the same capture and configuration give the same output, always. \
            A capture is what 'btmon -w FILE' or 'beacond scan --write FILE' writes.
            """)

    enum OutputKind: String, ExpressibleByArgument, CaseIterable {
        case jsonl, none
    }

    @Argument(help: ArgumentHelp("The btsnoop file; - for standard input.", valueName: "capture"))
    var capture: String

    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?

    @Option(help: "jsonl: every message as one line; none: only the closing line.")
    var output: OutputKind = .jsonl

    func run() throws {
        let settings = try loadSettings(config)
        let clock = ContinuousClock()
        let began = clock.now
        var replay = Replay(settings: settings, printsMessages: output == .jsonl)
        let problem = replay.run(path: capture)
        let elapsed = clock.now - began
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        replay.summarize(seconds: seconds)
        guard let problem else { return }
        switch problem {
        case .file(let error):
            Output.complain("\(error)")
            throw ExitCode.noInput
        case .capture(let error):
            Output.complain("\(capture): \(error)")
            throw ExitCode.dataError
        }
    }
}

/// Loads the configuration, or says what is wrong with it and ends with 78.
func loadSettings(_ path: String?) throws -> Settings {
    do throws(ConfigurationFile.Problem) {
        return try ConfigurationFile.load(path)
    } catch {
        for line in error.lines { Output.complain(line) }
        throw ExitCode.configuration
    }
}
