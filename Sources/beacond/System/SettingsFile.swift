import Agent
import Core
import Glibc

/// The settings over MQTT as a file of the state folder. Only the agent that holds the folder writes it; other commands
/// read it at any time and find a complete one.
struct SettingsFile {
    private static let name = "settings.json"

    let path: String

    /// - Parameter directory: the state folder.
    init(in directory: String) { path = directory + "/" + Self.name }

    /// Returns the stored ledger, an empty one where there is none.
    ///
    /// - Returns: also the reason why a stored one cannot be used. The file alone is in effect then, until the broker
    ///   repeats the settings.
    func read() -> (ledger: SettingsLedger, complaint: String?) {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return (SettingsLedger(), nil) }
        do {
            let octets = try InputFile.readAll(path, limit: SettingsLedger.maxOctets)
            return (try SettingsLedger(stored: octets), nil)
        } catch let error as FileError {
            return (SettingsLedger(), "\(error): the settings in it are not used")
        } catch {
            return (SettingsLedger(), "\(path): \(error): the settings in it are not used")
        }
    }

    /// Stores a ledger, so that it outlives a power cut.
    func write(_ ledger: SettingsLedger) throws(FileError) {
        try NamedFile.replace(path, by: ledger.stored, mode: 0o600, isDurable: true)
    }
}

/// A gateway's configuration as it is in effect: the file with the tables that the gateway has taken over MQTT.
struct ConfigurationInEffect {
    var settings: Settings
    var effective: EffectiveConfiguration
    var path: String
    /// The tables that come from MQTT.
    var tables: Set<String> = []
    var ledger = SettingsLedger()
    /// The reason why stored tables are not used; `nil` where they are, or there are none.
    var misfit: ConfigurationErrors?
    /// The reason why the stored settings cannot be read.
    var complaint: String?

    /// Loads the file and the stored settings, for commands beside the agent.
    init(_ named: String?) throws(ConfigurationFile.Problem) {
        let file = try ConfigurationFile.read(named, for: .any, isRecording: true)
        guard file.settings.fleet.takesSettings else {
            self.init(file)
            return
        }
        let (ledger, complaint) = SettingsFile(in: file.settings.outbox.directory).read()
        self.init(file, ledger)
        self.complaint = complaint
    }

    /// The file alone.
    init(_ file: ConfigurationFile.Loaded) {
        (settings, effective, path) = (file.settings, file.effective, file.path)
        settings.inEffect = SettingsInEffect(digest: effective.digest)
    }

    /// The file with the tables of a ledger. Where they do not fit it any more, the file alone.
    init(_ file: ConfigurationFile.Loaded, _ ledger: SettingsLedger) {
        self.init(file)
        self.ledger = ledger
        guard let version = ledger.version else { return }
        do throws(ConfigurationFile.Problem) {
            let both = try ConfigurationFile.read(file.path, for: .any, replacing: ledger.tables, isRecording: true)
            (settings, effective) = (both.settings, both.effective)
            settings.inEffect = SettingsInEffect(digest: effective.digest, version: version)
            tables = Set(ledger.tables.keys)
        } catch {
            misfit = error.errors
        }
    }
}
