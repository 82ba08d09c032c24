import Glibc

/// Complete lines from standard input, as they come.
struct StandardInput {
    /// A longer line is no command, and the buffer must not grow without limit.
    private static let maxLineLength = 1024

    private var pending: [UInt8] = []
    private(set) var isOpen = true

    /// Reads once, which must not block, and returns the complete lines.
    mutating func lines() -> [String] {
        var buffer = [UInt8](repeating: 0, count: Self.maxLineLength)
        let count = buffer.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        guard count > 0 else {
            isOpen = false
            return []
        }
        pending += buffer.prefix(count)
        var parts = pending.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        pending = Array((parts.popLast() ?? []).prefix(Self.maxLineLength))
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }
}
