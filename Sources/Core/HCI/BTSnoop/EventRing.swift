/// The latest HCI events in a buffer of fixed size. The oldest give way, and taking one in allocates nothing.
///
/// Records lie one behind the other, around the end of the buffer where need be:
///
///     octets 0…7     when the event was received: microseconds of its `Instant`, most significant octet first
///     octets 8, 9    length n
///     octets 10…     n octets of the event packet, from its event code on
///
/// The ring is read piece by piece, so that a lock around it is held for no longer than one piece takes to copy, and a
/// reader that was overtaken sees how many events it missed.
package struct EventRing: Sendable {
    /// A place between two events.
    package struct Cursor: Hashable, Sendable {
        /// Octets that were ever written before it.
        var position: UInt64 = 0
        /// Events that were ever taken in before it.
        private(set) var number: UInt64 = 0

        /// Before the first event.
        package init() {}

        mutating func pass(_ length: Int) {
            position += UInt64(length)
            number += 1
        }
    }

    static let headerLength = 10

    private var buffer: [UInt8]
    /// Before the oldest event that is still there.
    private(set) var oldest = Cursor()
    /// Behind the latest.
    package private(set) var newest = Cursor()

    /// - Parameter capacity: octets. An event takes 10 more than it has; one that does not fit is not kept.
    package init(capacity: Int) {
        buffer = [UInt8](repeating: 0, count: max(0, capacity))
    }

    /// Octets in use.
    var length: Int { Int(newest.position - oldest.position) }

    /// Takes an event in, from its event code on.
    package mutating func push(_ event: Span<UInt8>, at instant: Instant) {
        let recordLength = Self.headerLength + event.count
        guard event.count <= UInt16.max, recordLength <= buffer.count else { return }
        while length + recordLength > buffer.count { oldest.pass(self.recordLength(at: oldest.position)) }
        var index = self.index(of: newest.position)
        let time = UInt64(bitPattern: instant.microseconds)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            write(UInt8(truncatingIfNeeded: time >> shift), at: &index)
        }
        write(UInt8(event.count >> 8), at: &index)
        write(UInt8(event.count & 0xFF), at: &index)
        for offset in event.indices { write(event[offset], at: &index) }
        newest.pass(recordLength)
    }

    /// Copies whole events out, from `cursor` on or from the oldest that is still there.
    ///
    /// - Parameters:
    ///   - end: where to stop at the latest.
    ///   - limit: octets, at most; one event is copied whatever its length.
    package func piece(from cursor: Cursor, through end: Cursor, limit: Int) -> EventPiece {
        let begin = cursor.position < oldest.position ? oldest : cursor
        let last = min(end.position, newest.position)
        var reached = begin
        while reached.position < last {
            var next = reached
            next.pass(recordLength(at: reached.position))
            if next.position - begin.position > UInt64(max(0, limit)), reached != begin { break }
            reached = next
        }
        let count = Int(reached.position - begin.position)
        let start = index(of: begin.position)
        let untilEnd = min(count, buffer.count - start)
        let octets = buffer[start..<start + untilEnd] + buffer[..<(count - untilEnd)]
        return EventPiece(octets: Array(octets), next: reached, missed: begin.number - min(cursor.number, begin.number))
    }

    private func recordLength(at position: UInt64) -> Int {
        let high = buffer[index(of: position + 8)]
        let low = buffer[index(of: position + 9)]
        return Self.headerLength + Int(high) << 8 + Int(low)
    }

    private func index(of position: UInt64) -> Int {
        buffer.isEmpty ? 0 : Int(position % UInt64(buffer.count))
    }

    private mutating func write(_ octet: UInt8, at index: inout Int) {
        buffer[index] = octet
        index += 1
        if index == buffer.count { index = 0 }
    }
}

/// Some events of an `EventRing`, in order.
package struct EventPiece: Sendable {
    /// Whole records, as `EventRing` lays them out.
    let octets: [UInt8]
    /// Where the next piece begins.
    package let next: EventRing.Cursor
    /// Events that were overwritten before they could be read.
    package let missed: UInt64

    /// No event was left.
    package var isEmpty: Bool { octets.isEmpty }

    /// Hands every event to `body`, from its event code on.
    package func read(_ body: (Span<UInt8>, Instant) -> Void) {
        let span = octets.span
        var start = 0
        while start + EventRing.headerLength <= span.count {
            let time = bigEndian64(span, at: start)
            let begin = start + EventRing.headerLength
            let end = min(span.count, begin + Int(span[start + 8]) << 8 + Int(span[start + 9]))
            body(span.extracting(begin..<end), Instant(microseconds: Int64(bitPattern: time)))
            start = end
        }
    }
}
