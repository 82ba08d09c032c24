/// A ring buffer of the latest HCI events. New events overwrite the oldest, without allocating.
///
/// Records follow each other and wrap around at the end of the buffer:
///
///     octets 0…7     when the event was received: microseconds of its `Instant`, most significant octet first
///     octets 8, 9    length n
///     octets 10…     n octets of the event packet, from its event code on
///
/// The ring is read in pieces, so that its lock is held only while one piece is copied. A slow reader learns how many
/// events were overwritten before it read them.
package struct EventRing: Sendable {
    /// A position between two events.
    package struct Cursor: Hashable, Sendable {
        /// The number of octets written before this position.
        var position: UInt64 = 0
        /// The number of events written before this position.
        private(set) var number: UInt64 = 0

        /// The position before the first event.
        package init() {}

        mutating func pass(_ length: Int) {
            position += UInt64(length)
            number += 1
        }
    }

    static let headerLength = 10

    private var buffer: [UInt8]
    /// The position before the oldest event that is still there.
    private(set) var oldest = Cursor()
    /// The position behind the latest event.
    package private(set) var newest = Cursor()

    /// - Parameter capacity: octets. An event takes 10 octets more than its length. The ring drops an event that
    ///   doesn't fit.
    package init(capacity: Int) { buffer = [UInt8](repeating: 0, count: max(0, capacity)) }

    /// The number of octets in use.
    var length: Int { Int(newest.position - oldest.position) }

    /// Appends an event, from its event code on.
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

    /// Copies whole events, starting at `cursor` or at the oldest event that is still there.
    ///
    /// - Parameter limit: the most octets to copy. One event is always copied, whatever its length.
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

    private func index(of position: UInt64) -> Int { buffer.isEmpty ? 0 : Int(position % UInt64(buffer.count)) }

    private mutating func write(_ octet: UInt8, at index: inout Int) {
        buffer[index] = octet
        index += 1
        if index == buffer.count { index = 0 }
    }
}

/// Some events of an `EventRing`, in order.
package struct EventPiece: Sendable {
    /// Whole records, in the layout of `EventRing`.
    let octets: [UInt8]
    package let next: EventRing.Cursor
    /// The number of events overwritten before they could be read.
    package let missed: UInt64

    package var isEmpty: Bool { octets.isEmpty }

    /// Passes each event to `body`, from its event code on.
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
