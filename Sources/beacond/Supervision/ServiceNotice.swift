import Core

/// What a service manager is told, as sd_notify(3) spells it: `KEY=value` lines.
enum ServiceNotice: Equatable {
    /// The agent works, and signals are looked after.
    case ready
    /// The configuration is being read again; `ready` follows. The instant is CLOCK_MONOTONIC's.
    case reloading(at: Instant)
    case stopping
    /// Both loops make progress.
    case alive
    /// One line for whoever asks how the service is.
    case status(String)

    /// A status beyond this is cut: it is a line for a person, and a datagram has a limit.
    static let maxStatus_bytes = 512

    /// One datagram.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let now): "RELOADING=1\nMONOTONIC_USEC=\(now.microseconds)"
        case .stopping: "STOPPING=1"
        case .alive: "WATCHDOG=1"
        case .status(let line): "STATUS=\(Self.oneLine(line))"
        }
    }

    /// A line break would begin another key: text that comes from outside must not be able to say `STOPPING=1`.
    private static func oneLine(_ text: String) -> String {
        let octets = text.utf8.prefix(maxStatus_bytes).map { $0 < 0x20 ? 0x20 : $0 }
        return String(decoding: octets, as: UTF8.self)
    }
}
