import ArgumentParser
import Core

/// Loads the configuration, or says what is wrong with it and ends with 78.
func loadSettings(_ path: String?) throws -> Settings {
    try orSay { () throws(ConfigurationFile.Problem) in try ConfigurationFile.load(path) }
}

/// As `loadSettings`, for commands that need no configuration: the defaults where there is none.
func loadSettingsOrDefaults(_ path: String?) throws -> Settings {
    try orSay { () throws(ConfigurationFile.Problem) in try ConfigurationFile.loadOrDefaults(path) }
}

private func orSay(_ load: () throws(ConfigurationFile.Problem) -> Settings) throws -> Settings {
    do throws(ConfigurationFile.Problem) {
        return try load()
    } catch {
        for line in error.lines { Output.complain(line) }
        throw ExitCode.configuration
    }
}

extension ArgumentHelp {
    /// Of `--config`, which every command has that reads a configuration.
    static let configurationFile = ArgumentHelp(
        "The configuration file. Without it: \(ConfigurationFile.places.joined(separator: ", else ")).",
        valueName: "file")
}
