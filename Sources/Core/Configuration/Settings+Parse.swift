extension Settings {
    /// The settings of an empty `config.toml`, without regions.
    package static let defaults: Settings = {
        var reader = SettingsReader(root: [:])
        return reader.read()
    }()

    /// The most octets of a file: enough for 200,000 circles.
    static let maxOctets = 16 << 20

    /// Adds settings that depend on the machine, such as the content of a file. Returns their errors.
    package typealias Completion = (inout Settings) -> [ConfigurationError]

    /// Parses the text of a `config.toml`.
    ///
    /// - Parameters:
    ///   - certificate: reads the identity from the certificate; `nil` where the caller needs no topics.
    ///   - complete: called once, with whole settings, even where the text has errors: all errors are reported
    ///     together.
    /// - Throws: all errors, or the first error of its TOML. A text of more than 16 MiB is refused unread.
    static func parse(
        _ text: String, certificate: CertificateIdentity? = nil, complete: Completion = { _ in [] }
    ) throws(ConfigurationErrors) -> Settings {
        try read(text, replacing: [:], isRecording: false, certificate: certificate, complete: complete).settings
    }

    private static func read(
        _ text: String, replacing tables: [String: DocumentValue], isRecording: Bool, certificate: CertificateIdentity?,
        complete: Completion
    ) throws(ConfigurationErrors) -> (settings: Settings, effective: EffectiveConfiguration?) {
        try checkSize(text.utf8.count)
        var root: [String: DocumentValue]
        do throws(ConfigurationError) {
            root = try TOMLDocument.parse(text)
        } catch {
            throw ConfigurationErrors(error)
        }
        var own: Settings?
        if !tables.isEmpty {
            var reader = SettingsReader(root: root)
            own = reader.read()
        }
        root.merge(tables) { _, given in given }
        var reader = SettingsReader(root: root, certificate: certificate, isRecording: isRecording)
        var settings = reader.read()
        var errors = reader.errors
        if let own { for error in settings.exposures(of: own) { errors.record(error) } }
        for error in complete(&settings) { errors.record(error) }
        guard errors.isEmpty else {
            errors.place(in: text, besides: Set(tables.keys))
            throw ConfigurationErrors(errors)
        }
        return (settings, reader.effective)
    }

    /// Parses the octets of a `config.toml`, which have to be UTF-8, with some tables from elsewhere.
    ///
    /// - Parameters:
    ///   - tables: replace the file's tables of these names as a whole.
    ///   - isRecording: whether to return the values in effect.
    package static func read(
        utf8 octets: [UInt8], replacing tables: [String: DocumentValue] = [:], isRecording: Bool = true,
        certificate: CertificateIdentity? = nil, complete: Completion = { _ in [] }
    ) throws(ConfigurationErrors) -> (settings: Settings, effective: EffectiveConfiguration?) {
        // The limit comes first, so that a refused file is not copied.
        try checkSize(octets.count)
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw ConfigurationErrors(
                ConfigurationError(key: "", value: nil, requirement: "the file is not UTF-8 text"))
        }
        return try read(text, replacing: tables, isRecording: isRecording, certificate: certificate, complete: complete)
    }

    private static func checkSize(_ octets: Int) throws(ConfigurationErrors) {
        guard octets > maxOctets else { return }
        throw ConfigurationErrors(
            ConfigurationError(
                key: "", value: nil, requirement: "the file has more than the \(maxOctets) bytes that are allowed"))
    }
}
