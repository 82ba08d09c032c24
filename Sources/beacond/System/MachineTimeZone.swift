import Agent
import Core
import Glibc

/// The time zones that this machine knows, by its tz database.
enum MachineTimeZone {
    /// A file of the database has some kilobytes.
    private static let maxLength = 1 << 20
    /// The C library knows this one without any database.
    private static let builtIn = "UTC"
    /// The zone as the process was started with; `nil` for that of the machine's settings.
    private static let inherited = getenv("TZ").map { String(cString: $0) }

    /// Has the C library use a zone, for the whole process.
    ///
    /// The environment of a process is shared by its threads, so this is to be called before any thread reads it.
    ///
    /// - Parameter name: an IANA name that `refusal` accepts; empty for the machine's own zone.
    static func use(_ name: String) -> LocalTime {
        _ = inherited
        // The colon says that a name follows, and no rule.
        if let zone = name.isEmpty ? inherited : ":" + name { setenv("TZ", zone, 1) } else { unsetenv("TZ") }
        tzset()
        return LocalTime(name: name) { time_s in
            var (time, fields) = (time_t(time_s), tm())
            return localtime_r(&time, &fields) == nil ? 0 : fields.tm_gmtoff
        }
    }

    /// An error for a zone that this machine does not know: the C library would take it for UTC without a word.
    static func refusal(of name: String) -> ConfigurationError? {
        guard !name.isEmpty, name != builtIn else { return nil }
        let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
        let octets = try? InputFile.readAll(folder + "/" + name, limit: maxLength)
        if octets?.starts(with: "TZif".utf8) ?? false { return nil }
        return ConfigurationError(
            key: "site.time_zone", value: "\"\(name)\"",
            requirement: "this machine has no time zone of that name: 'timedatectl list-timezones' prints all names; "
                + "if it prints none, install tzdata")
    }
}
