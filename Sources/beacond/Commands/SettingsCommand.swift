import ArgumentParser
import Core
import Glibc

/// `beacond settings`: the configuration in effect.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Print the settings in effect as TOML, with the source of each table.",
        discussion: """
            A table comes from the configuration file, from the topic settings/desired, or from the defaults. Every key is \
            printed with its value, also where it is the default. Secrets are not printed.

            Exit status: 0; 78 the configuration is wrong.
            """)

    @Option(help: .configurationFile)
    var config: String?

    func run() throws {
        let configuration = try orSay { () throws(ConfigurationFile.Problem) in try ConfigurationInEffect(config) }
        if let complaint = configuration.complaint { Output.complain(complaint) }
        for line in configuration.misfitLines { Output.complain(line) }
        let settings = configuration.settings
        let inEffect = settings.inEffect
        let version = inEffect?.version.map { "version \($0)" } ?? "the file alone"
        Output.write(
            """
            # The settings of \(settings.identity.topics.root): \(version), digest \(inEffect?.digest ?? "unknown")

            \(configuration.effective.toml { configuration.origin(ofTable: $0) })
            """, to: STDOUT_FILENO)
    }
}

extension ConfigurationInEffect {
    /// The source of a table's values, for a reader.
    func origin(ofTable name: String) -> String {
        if tables.contains(name) { return "from settings/desired, version \(ledger.version ?? 0)" }
        return effective.isWritten(name) ? "from \(path)" : "default: \(path) has no such table"
    }

    /// The reasons why stored settings are not used, a line for each.
    var misfitLines: [String] {
        misfit?.lines(file: "settings/desired, version \(ledger.version ?? 0), which is not in effect") ?? []
    }
}
