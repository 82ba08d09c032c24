import Glibc

/// The lines of standard input, without waiting for any.
struct LineInput {
    private static let longest = 4_096

    private var buffer: [UInt8] = []
    private(set) var isAtEnd = false

    /// Returns the next line that is there; `nil` for none.
    mutating func next() -> String? {
        if let line = takeLine() { return line }
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard !isAtEnd, poll(&waiting, 1, 0) > 0 else { return nil }
        var octets = [UInt8](repeating: 0, count: Self.longest)
        let count = read(STDIN_FILENO, &octets, octets.count)
        if count > 0 { buffer += octets[..<count] }
        if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { isAtEnd = true }
        return takeLine()
    }

    private mutating func takeLine() -> String? {
        if buffer.count > Self.longest { buffer.removeFirst(buffer.count - Self.longest) }
        guard let end = buffer.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
    }
}
