import Glibc

/// What this process may do beyond other users' processes.
///
/// A running process is never given more, so it is enough to look once.
package struct ProcessCapabilities: Hashable, Sendable {
    /// CAP_NET_ADMIN: bring adapters up and down, and reset them.
    package let mayAdminister: Bool

    /// Those in effect now. Where `/proc` is hidden, there are none.
    package static func current() -> ProcessCapabilities {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return ProcessCapabilities(status: "") }
        defer { close(file) }
        let text = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
        return ProcessCapabilities(status: text)
    }

    /// - Parameter status: the text of `/proc/PID/status`, with a line such as `CapEff: 0000000000003000`.
    init(status: String) {
        let administer: UInt64 = 1 << 12
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let digits = line?.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " }).last
        let effective = digits.flatMap { UInt64($0, radix: 16) } ?? 0
        mayAdminister = effective & administer != 0
    }
}
