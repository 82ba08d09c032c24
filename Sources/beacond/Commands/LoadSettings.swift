import Agent
import ArgumentParser
import Core
import Glibc

/// Loads the configuration, or prints its faults and exits with 78.
///
/// - Parameter role: the kind of agent that the certificate may name.
func loadSettings(_ path: String?, for role: CertificateIdentity.Role = .gateway) throws -> Settings {
    try orSay { () throws(ConfigurationFile.Problem) in try ConfigurationFile.load(path, for: role) }
}

/// Loads the configuration of an agent with the values in effect, or prints its faults and exits with 78.
func loadConfiguration(
    _ path: String?, for role: CertificateIdentity.Role
) throws -> ConfigurationFile.Loaded {
    try orSay { () throws(ConfigurationFile.Problem) in
        try ConfigurationFile.read(path, for: role, isRecording: true)
    }
}

/// Loads the configuration, or the defaults where there is none: for commands that need no configuration.
func loadSettingsOrDefaults(_ path: String?) throws -> Settings {
    try orSay { () throws(ConfigurationFile.Problem) in try ConfigurationFile.loadOrDefaults(path) }
}

/// Returns what was loaded, or prints its faults and exits with 78.
func orSay<Loaded>(_ load: () throws(ConfigurationFile.Problem) -> Loaded) throws -> Loaded {
    do throws(ConfigurationFile.Problem) {
        return try load()
    } catch {
        for line in error.lines { Output.complain(line) }
        throw ExitCode.configuration
    }
}

extension ArgumentHelp {
    /// Help for `--config`, an option of every command that reads a configuration.
    static let configurationFile = ArgumentHelp(
        "The configuration file. Without it: \(ConfigurationFile.places.joined(separator: ", else ")).",
        valueName: "file")
}

/// The exit statuses of sysexits.h that scripts can rely on.
extension ExitCode {
    /// A damaged capture: everything before the damage was read.
    static let dataError = ExitCode(65)
    /// A file that can't be opened.
    static let noInput = ExitCode(66)
    /// This machine's radio can't do what was asked.
    static let unavailable = ExitCode(69)
    /// A file that can't be created.
    static let cantCreate = ExitCode(73)
    /// A file that could not be completed: a full disk.
    static let ioError = ExitCode(74)
    /// A failure that may pass: a state folder in use, a broker that was not reached in time.
    static let temporaryFailure = ExitCode(75)
    static let noPermission = ExitCode(77)
    /// An unusable configuration, or a fault that `check` found.
    static let configuration = ExitCode(78)
}

/// A file, or standard output, that is written from beginning to end.
final class OutputFile {
    private let output: Output
    private let path: String
    /// −1 once it is closed.
    private var descriptor: Int32

    /// Creates or empties the file at `path`; `-` is standard output.
    init(path: String) throws(FileError) {
        descriptor = try NamedFile.createOrStandardOutput(path, mode: 0o666)
        output = Output(descriptor: descriptor, path: path)
        self.path = path
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func write(_ octets: [UInt8]) throws(FileError) {
        output.write(octets)
        try check()
    }

    /// Writes the rest, and closes the file. A full disk may show only here.
    func finish() throws(FileError) {
        output.flush()
        try check()
        defer { descriptor = -1 }
        guard close(descriptor) == 0 else { throw FileError(path: path, operation: .write, code: errno) }
    }

    private func check() throws(FileError) {
        if output.isBroken { throw output.failure ?? FileError(path: path, operation: .write, code: EPIPE) }
    }
}

extension ProximityUUID: ExpressibleByArgument {
    /// 32 hexadecimal digits, with dashes or without.
    package init?(argument: String) { self.init(argument) }
}

extension RadioSettings.Adapter: ExpressibleByArgument {
    /// `auto`, `hci0` or an address.
    package init?(argument: String) {
        if argument == "auto" { self = .automatic } else { self.init(name: argument) }
    }

    /// The value without the option.
    package var defaultValueDescription: String { "auto" }
}

/// The hours at which a simulated store is open each day, as on the command line: `08:00-20:00`.
struct OpeningHours: ExpressibleByArgument, Hashable, CustomStringConvertible {
    let hours: Range<TimeSpan>

    /// The first half of each day.
    static let halfDay = OpeningHours(hours: TimeSpan.zero..<TimeSpan.seconds(12 * 3600))

    private init(hours: Range<TimeSpan>) { self.hours = hours }

    /// `nil` for anything but two times of day, the first before the second. A day ends at 24:00.
    init?(argument: String) {
        let times = argument.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard times.count == 2, let opens = times[0], let closes = times[1], opens < closes else { return nil }
        hours = TimeSpan.seconds(60 * opens)..<TimeSpan.seconds(60 * closes)
    }

    private static func minute(_ text: Substring) -> Int? {
        let digits = text.split(separator: ":", omittingEmptySubsequences: false)
        guard digits.count == 2, digits.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isNumber) }),
            let hour = Int(digits[0]), let minute = Int(digits[1]), minute < 60, 60 * hour + minute <= 24 * 60
        else { return nil }
        return 60 * hour + minute
    }

    var description: String { Self.text(hours.lowerBound) + "-" + Self.text(hours.upperBound) }

    private static func text(_ time: TimeSpan) -> String {
        let minute = time.microseconds / 60_000_000
        return [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
