import Agent
import Core
import Glibc

/// Finds and reads `config.toml`.
enum ConfigurationFile {
    /// The places that are tried without `--config`, in this order.
    static let places = ["./config.toml", "/etc/beacond/config.toml"]
    /// The parser refuses more than this anyway.
    static let maxLength = 16 << 20

    /// Faults that keep the agent from starting, one line each.
    struct Problem: Error {
        var lines: [String]
        /// The errors in the file, or one that tells why it cannot be read.
        var errors: ConfigurationErrors
        init(_ line: String) {
            lines = [line]
            errors = ConfigurationErrors(ConfigurationError(key: "", value: nil, requirement: line))
        }

        init(_ errors: ConfigurationErrors, file: String) {
            lines = errors.lines(file: file)
            self.errors = errors
        }
    }

    /// A file that was read.
    struct Loaded {
        var settings: Settings
        /// The values in effect; empty unless they were recorded.
        var effective: EffectiveConfiguration
        var path: String
    }

    /// Loads the file alone.
    static func load(_ named: String?, for role: CertificateIdentity.Role?) throws(Problem) -> Settings {
        try read(named, for: role).settings
    }

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - role: the kind of agent that the certificate may name; `nil` where the command needs no topics.
    ///   - tables: replace the file's tables of these names as a whole.
    ///   - isRecording: whether to return the values in effect.
    static func read(
        _ named: String?, for role: CertificateIdentity.Role?, replacing tables: [String: DocumentValue] = [:],
        isRecording: Bool = false
    ) throws(Problem) -> Loaded {
        let path = if let named { named } else { try find() }
        let octets: [UInt8]
        do throws(FileError) {
            octets = try InputFile.readAll(path, limit: maxLength)
        } catch {
            throw Problem("\(error)")
        }
        do throws(ConfigurationErrors) {
            let certificate = role.map { CertificateIdentity(for: $0, CertificateFile.first) }
            let (settings, effective) = try Settings.read(
                utf8: octets, replacing: tables, isRecording: isRecording, certificate: certificate
            ) { settings in
                [
                    settings.identity.name(byHost: hostName()), readSiteKey(&settings.privacy),
                    settings.site.flatMap { MachineTimeZone.refusal(of: $0.timeZone) }, readSigner(&settings.fleet),
                ].compactMap(\.self)
            }
            return Loaded(settings: settings, effective: effective ?? EffectiveConfiguration(), path: path)
        } catch {
            throw Problem(error, file: path)
        }
    }

    /// The length of the store's secret in octets. An attacker with pseudonyms can try secrets offline, so a phrase
    /// that a person would remember is too short.
    private static let siteKeyLength = 32...4_096

    /// Reads the store's secret, without its line end, where the settings name a file.
    private static func readSiteKey(_ privacy: inout PrivacySettings) -> ConfigurationError? {
        read(privacy.siteKeyFile, of: "privacy.site_key_file", limit: siteKeyLength.upperBound) { octets in
            var octets = octets
            while let last = octets.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
                octets.removeLast()
            }
            guard siteKeyLength.contains(octets.count) else {
                return "has \(octets.count) bytes; a secret has \(siteKeyLength.lowerBound) to "
                    + "\(siteKeyLength.upperBound), as 'openssl rand -hex 32' prints one"
            }
            privacy.siteKey = octets
            return nil
        }
    }

    /// The longest file with a public key, octets. One of Ed25519 has 113.
    private static let maxSigner_bytes = 4_096

    /// Reads the operator's public key, where the settings name a file.
    private static func readSigner(_ fleet: inout FleetSettings) -> ConfigurationError? {
        read(fleet.signerFile, of: "fleet.signer_file", limit: maxSigner_bytes) { octets in
            fleet.signer = Ed25519PublicKey(pem: octets)
            return fleet.signer == nil
                ? "is no Ed25519 public key in PEM, as 'openssl pkey -in KEY -pubout' prints one of 'openssl genpkey -algorithm "
                    + "ed25519'" : nil
        }
    }

    /// Reads the file that a key names, if it names one.
    ///
    /// - Parameter take: takes the content. Returns the reason for which it is refused.
    private static func read(
        _ path: String?, of key: String, limit: Int, _ take: ([UInt8]) -> String?
    ) -> ConfigurationError? {
        guard let path else { return nil }
        let refusal: String?
        do throws(FileError) {
            refusal = take(try InputFile.readAll(path, limit: limit))
        } catch {
            refusal = "\(error)"
        }
        return refusal.map { ConfigurationError(key: key, value: "\"\(path)\"", requirement: $0) }
    }

    /// Loads the configuration. Uses the defaults where no file is named and this user can read none.
    static func loadOrDefaults(_ named: String?) throws(Problem) -> Settings {
        if named != nil { return try load(named, for: nil) }
        guard let place = places.first(where: { access($0, F_OK) == 0 }) else { return .defaults }
        guard access(place, R_OK) == 0 else {
            Output.complain("\(place): can't be read by this user; going on with the defaults")
            return .defaults
        }
        return try load(place, for: nil)
    }

    private static func find() throws(Problem) -> String {
        for place in places where access(place, F_OK) == 0 { return place }
        throw Problem("no configuration: neither \(places.joined(separator: " nor ")) is there; name one with --config")
    }

    /// The name of this machine; empty where the system has none.
    private static func hostName() -> String {
        var octets = [CChar](repeating: 0, count: 256)
        guard gethostname(&octets, octets.count - 1) == 0 else { return "" }
        return String(decoding: octets.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
