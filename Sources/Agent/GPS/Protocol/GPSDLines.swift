/// Cuts what comes from gpsd into lines, in bounded memory.
struct GPSDLines: Sendable {
    enum Line: Hashable, Sendable {
        /// Without what ends it, and not empty.
        case text(ArraySlice<UInt8>)
        /// It had more than `limit` octets and is dropped.
        case tooLong
    }

    /// Octets of a line, at most. gpsd's longest, a SKY of all satellites, has about 10 KiB.
    package static let limit = 65_536

    private var rest: [UInt8] = []
    private var isDropping = false

    /// Octets that wait for their line's end.
    var waiting: Int { rest.count }

    /// Adds octets, and gives each line that they complete.
    mutating func append(_ octets: some Collection<UInt8>, _ take: (Line) -> Void) {
        var octets = octets[...]
        while let end = octets.firstIndex(of: UInt8(ascii: "\n")) {
            add(octets[..<end], take)
            octets = octets[end...].dropFirst()
            // gpsd ends its lines with a carriage return as well.
            if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
            if !rest.isEmpty { take(.text(rest[...])) }
            rest.removeAll(keepingCapacity: true)
            isDropping = false
        }
        add(octets, take)
    }

    private mutating func add(_ part: some Collection<UInt8>, _ take: (Line) -> Void) {
        guard !isDropping else { return }
        guard rest.count + part.count <= Self.limit else {
            isDropping = true
            rest = []
            take(.tooLong)
            return
        }
        rest += part
    }
}
