/// Everything that is wrong with `config.toml`, at once, so that one look repairs it.
package struct ConfigurationErrors: Error, Hashable, Sendable {
    /// At least one, at most `maxReported`: in the order of the sections of the default file, then unknown tables.
    let errors: [ConfigurationError]
    /// How many more there were.
    let omitted: Int

    /// No one reads more, and a broken file can have as many as it has bytes.
    static let maxReported = 100

    init(_ list: ErrorList) {
        self.errors = list.errors
        self.omitted = list.omitted
    }

    init(_ error: ConfigurationError) {
        self.errors = [error]
        self.omitted = 0
    }

    /// One line for each error, the file's name in front: `config.toml: line 7: mqtt.protocol = 4: must be 3 or 5`.
    package func lines(file: String) -> [String] {
        let lines = errors.map { "\(file): \($0)" }
        return omitted > 0 ? lines + ["\(file): and \(omitted) more"] : lines
    }
}

extension ConfigurationErrors: CustomStringConvertible {
    /// One line for each error, without a file's name.
    package var description: String {
        let lines = errors.map(\.description)
        return (omitted > 0 ? lines + ["and \(omitted) more"] : lines).joined(separator: "\n")
    }
}
