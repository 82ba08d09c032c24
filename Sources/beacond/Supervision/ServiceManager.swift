import Core
import Glibc

/// The connection to the service manager: the datagram socket in `$NOTIFY_SOCKET`. Without one, nothing is sent.
///
/// The protocol is stable and small, so libsystemd is not needed: see "Notes" in sd_notify(3).
struct ServiceManager: Sendable {
    /// A path, or `@` and a name in the abstract namespace; `nil` without a service manager.
    private let address: String?
    /// The time without a sign of life after which the manager kills the process; `nil` where it never does.
    let patience_us: Int64?

    /// - Parameters:
    ///   - address: `$NOTIFY_SOCKET`. Only a path or an abstract name is usable.
    ///   - watchdog_us: `$WATCHDOG_USEC`.
    ///   - watchdogProcess: `$WATCHDOG_PID`, the process that has to give signs of life; any process where it is not
    /// set.
    init(address: String?, watchdog_us: String? = nil, watchdogProcess: String? = nil, process: pid_t = getpid()) {
        let usable = address.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        self.address = usable
        let isMeant = watchdogProcess.map { pid_t($0) == process } ?? true
        let patience = watchdog_us.flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        patience_us = usable != nil && isMeant ? patience : nil
    }

    /// The connection that this process's environment names.
    static let fromEnvironment = ServiceManager(
        address: Environment.value("NOTIFY_SOCKET"), watchdog_us: Environment.value("WATCHDOG_USEC"),
        watchdogProcess: Environment.value("WATCHDOG_PID"))

    /// Sends one datagram without waiting: a manager that does not read must not stop a loop.
    ///
    /// - Returns: whether the manager has it. Callers may ignore it.
    @discardableResult
    func notify(_ notice: ServiceNotice) -> Bool {
        guard let address else { return false }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Self.withSocketAddress(address) { pointer, length in
            let text = Array(notice.text.utf8)
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            return sendto(descriptor, text, text.count, flags, pointer, length) == text.count
        } ?? false
    }

    /// `sun_path` has 108 octets. A path ends with a NUL; an abstract name begins with one and ends with the length.
    private static func withSocketAddress<Result>(
        _ address: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var name = Array(address.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 } else { name.append(0) }
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        guard name.count <= MemoryLayout.size(ofValue: socketAddress.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: name) }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
        return withUnsafePointer(to: socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(start + name.count)) }
        }
    }
}

/// Shows the service manager that the agent works.
struct Supervision: Sendable {
    let manager = ServiceManager.fromEnvironment
    let pulse = Pulse()
}

/// A notice to the service manager, in the form of sd_notify(3): `KEY=value` lines.
enum ServiceNotice: Equatable {
    /// The agent works, and catches signals.
    case ready
    /// The configuration is being read again; `ready` follows. The instant is CLOCK_MONOTONIC's.
    case reloading(at: Instant)
    case stopping
    /// Both loops make progress.
    case alive
    /// The service's state in one line.
    case status(String)

    /// The longest status; a longer one is cut, since a datagram has a limit.
    static let maxStatus_bytes = 512

    /// The datagram.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let now): "RELOADING=1\nMONOTONIC_USEC=\(now.microseconds)"
        case .stopping: "STOPPING=1"
        case .alive: "WATCHDOG=1"
        case .status(let line): "STATUS=\(Self.oneLine(line))"
        }
    }

    /// Removes line breaks, which would begin another key: text from outside must not be able to send `STOPPING=1`.
    private static func oneLine(_ text: String) -> String {
        let octets = text.utf8.prefix(maxStatus_bytes).map { $0 < 0x20 ? 0x20 : $0 }
        return String(decoding: octets, as: UTF8.self)
    }
}
