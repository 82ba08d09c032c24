extension Settings {
    /// What holds where `config.toml` says nothing. There are no regions in it.
    public static let defaults: Settings = {
        var reader = SettingsReader(root: [:])
        return reader.read()
    }()

    /// Reads the text of a `config.toml`.
    ///
    /// - Throws: all that is wrong with it, or the one error in its TOML. A text of more than 1 MiB, with NUL or another
    ///   control character, or nested more than 16 deep is refused before it is parsed.
    public static func parse(_ text: String) throws(ConfigurationErrors) -> Settings {
        let root: [String: TOMLNode]
        do throws(ConfigurationError) {
            root = try TOMLDocument.parse(text)
        } catch {
            throw ConfigurationErrors([error])
        }
        var reader = SettingsReader(root: root)
        let settings = reader.read()
        guard reader.errors.isEmpty else { throw ConfigurationErrors(reader.errors) }
        return settings
    }

    /// Reads the octets of a `config.toml`, which have to be UTF-8.
    public static func parse(utf8 octets: [UInt8]) throws(ConfigurationErrors) -> Settings {
        // The limit comes first, so that no copy is made of what is refused anyway.
        if let violation = DocumentLimits.sizeViolation(octets: octets.count) { throw ConfigurationErrors([violation]) }
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw ConfigurationErrors([
                ConfigurationError(key: "", value: nil, requirement: "the file is not UTF-8 text")
            ])
        }
        return try parse(text)
    }
}
