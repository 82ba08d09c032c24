import Configuration
import Files
import Glibc
import Messages

/// Finds and reads `config.toml`.
enum ConfigurationFile {
    /// Where it is looked for without `--config`, in this order.
    static let places = ["./config.toml", "/etc/beacond/config.toml"]
    /// More than this is refused by the parser anyway.
    static let maxLength = 16 << 20

    /// What keeps the agent from starting, one line each.
    struct Problem: Error {
        var lines: [String]
    }

    static func load(_ named: String?) throws(Problem) -> Settings {
        let path = if let named { named } else { try find() }
        let octets: [UInt8]
        do throws(FileError) {
            octets = try InputFile.readAll(path, limit: maxLength)
        } catch {
            throw Problem(lines: ["\(error)"])
        }
        var settings: Settings
        do throws(ConfigurationErrors) {
            settings = try Settings.parse(utf8: octets)
        } catch {
            throw Problem(lines: error.lines(file: path))
        }
        if settings.identity.id == nil { settings.identity.id = hostName() }
        if let file = settings.privacy.siteKeyFile { settings.privacy.siteKey = try siteKey(file) }
        return settings
    }

    /// Octets of the store's secret, at least and at most: fewer can be guessed.
    private static let siteKeyLength = 16...4_096

    /// The store's secret, without the end of its line.
    private static func siteKey(_ path: String) throws(Problem) -> [UInt8] {
        var octets: [UInt8]
        do throws(FileError) {
            octets = try InputFile.readAll(path, limit: siteKeyLength.upperBound)
        } catch {
            throw Problem(lines: ["privacy.site_key_file: \(error)"])
        }
        while let last = octets.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { octets.removeLast() }
        guard siteKeyLength.contains(octets.count) else {
            throw Problem(lines: [
                "privacy.site_key_file: \(path) has \(octets.count) bytes; a secret has 16 to 4096, as 'openssl rand -hex 32' prints one"
            ])
        }
        return octets
    }

    /// As `load`, with the defaults where no file is named and none is there, or none that this user may read.
    static func loadOrDefaults(_ named: String?) throws(Problem) -> Settings {
        if named != nil { return try load(named) }
        guard let place = places.first(where: { access($0, F_OK) == 0 }) else { return .defaults }
        guard access(place, R_OK) == 0 else {
            Output.complain("\(place): can't be read by this user; going on with the defaults")
            return .defaults
        }
        return try load(place)
    }

    private static func find() throws(Problem) -> String {
        for place in places where access(place, F_OK) == 0 { return place }
        throw Problem(lines: [
            "no configuration: neither \(places.joined(separator: " nor ")) is there; name one with --config"
        ])
    }

    /// The host name as one topic level.
    private static func hostName() -> String {
        var octets = [CChar](repeating: 0, count: 256)
        guard gethostname(&octets, octets.count - 1) == 0 else { return "gateway" }
        let name = String(decoding: octets.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return TopicName.level(of: name) ?? "gateway"
    }
}
