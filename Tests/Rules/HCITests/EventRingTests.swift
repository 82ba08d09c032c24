import Testing

@testable import Core

@Suite("The ring of recent events")
struct EventRingTests {
    /// Returns an event of `length` octets that all are `octet`.
    private func event(_ octet: UInt8, length: Int = 10) -> [UInt8] { [UInt8](repeating: octet, count: length) }

    private func second(_ number: Int) -> Instant { Instant(microseconds: Int64(number) * 1_000_000) }

    private func contents(
        of ring: EventRing, from cursor: EventRing.Cursor = EventRing.Cursor(), limit: Int = .max
    ) -> [UInt8] {
        var first: [UInt8] = []
        ring.piece(from: cursor, through: ring.newest, limit: limit).read { octets, _ in first.append(octets[0]) }
        return first
    }

    @Test("Events come out unchanged, in order, with their times")
    func order() {
        var ring = EventRing(capacity: 1_000)
        for number in 1...3 { ring.push(event(UInt8(number), length: number).span, at: second(number)) }
        var found: [([UInt8], Instant)] = []
        ring.piece(from: EventRing.Cursor(), through: ring.newest, limit: .max).read { octets, instant in
            found.append((octets.indices.map { octets[$0] }, instant))
        }
        #expect(found.map(\.0) == [[1], [2, 2], [3, 3, 3]])
        #expect(found.map(\.1) == [second(1), second(2), second(3)])
    }

    @Test("A full ring drops its oldest events, and no more than it must")
    func full() {
        // Each event takes 20 octets, so four fit, and the fifth begins again at the front.
        var ring = EventRing(capacity: 90)
        for number in 1...9 { ring.push(event(UInt8(number)).span, at: second(number)) }
        #expect(contents(of: ring) == [6, 7, 8, 9])
        #expect(ring.length == 80)
    }

    @Test("Events of any length survive many turns of the buffer", arguments: [61, 64, 97, 128])
    func turns(capacity: Int) {
        var ring = EventRing(capacity: capacity)
        for number in 0..<1_000 {
            ring.push(event(UInt8(number % 251), length: 1 + number * 7 % 40).span, at: second(number))
            #expect(contents(of: ring).last == UInt8(number % 251))
            #expect(ring.length <= capacity)
        }
    }

    @Test("An event longer than the ring is dropped and costs no other")
    func tooLong() {
        var ring = EventRing(capacity: 40)
        ring.push(event(1).span, at: second(1))
        ring.push(event(2, length: 31).span, at: second(2))
        #expect(contents(of: ring) == [1])
        var nothing = EventRing(capacity: 0)
        nothing.push(event(1).span, at: second(1))
        #expect(contents(of: nothing).isEmpty)
    }

    @Test("Pieces within a limit put together are the whole, even where one event exceeds the limit")
    func pieces() {
        var ring = EventRing(capacity: 1_000)
        for number in 1...6 { ring.push(event(UInt8(number)).span, at: second(number)) }
        for limit in [0, 19, 20, 45, 1_000] {
            var cursor = EventRing.Cursor()
            var found: [UInt8] = []
            while true {
                let piece = ring.piece(from: cursor, through: ring.newest, limit: limit)
                if piece.isEmpty { break }
                piece.read { octets, _ in found.append(octets[0]) }
                cursor = piece.next
            }
            #expect(found == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test("A slow reader continues with the oldest event and learns how many it missed")
    func overtaken() {
        var ring = EventRing(capacity: 60)
        ring.push(event(1).span, at: second(1))
        let cursor = ring.piece(from: EventRing.Cursor(), through: ring.newest, limit: .max).next
        for number in 2...6 { ring.push(event(UInt8(number)).span, at: second(number)) }
        let piece = ring.piece(from: cursor, through: ring.newest, limit: .max)
        #expect(piece.missed == 2)
        #expect(contents(of: ring, from: cursor) == [4, 5, 6])
        #expect(ring.piece(from: piece.next, through: ring.newest, limit: .max).isEmpty)
    }

    @Test("Events after the requested end wait for the next reading")
    func end() {
        var ring = EventRing(capacity: 1_000)
        ring.push(event(1).span, at: second(1))
        let end = ring.newest
        ring.push(event(2).span, at: second(2))
        let piece = ring.piece(from: EventRing.Cursor(), through: end, limit: .max)
        #expect(piece.next == end)
        #expect(ring.piece(from: end, through: ring.newest, limit: .max).missed == 0)
    }
}
