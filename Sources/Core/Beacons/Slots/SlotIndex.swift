/// Finds slots by a hash of what stands in them: a hash table that holds slots and nothing else.
///
/// Open addressing with linear probing; what is taken out leaves no gap behind, because those after it move up. Where
/// `Dictionary` keeps a copy of every key, here the caller compares with what it has anyway: four octets an entry, not
/// 40, and one line of the cache less for each look-up. Of the hash it keeps 12 bits, so that hardly ever a slot is looked
/// at that is not the one: with 100,000 transmitters none of them is in a cache.
struct SlotIndex<Slot: SlotNumber>: Sendable {
    /// What stands in a place: 12 bits of the hash from the highest bit on, and slot + 1 in 20 bits. Zero is free.
    private struct Entry {
        static var slotBits: Int { 20 }
        let word: UInt32

        static var free: Entry { Entry(word: 0) }

        init(slot: Slot, hash: UInt64) {
            word = Self.tag(of: hash) | (slot.number &+ 1) & ~(.max << Self.slotBits)
        }
        private init(word: UInt32) { self.word = word }

        /// The highest bits of the hash. The lowest say where an entry belongs, so its neighbours share those.
        static func tag(of hash: UInt64) -> UInt32 {
            UInt32(truncatingIfNeeded: hash >> 32) & (.max << slotBits)
        }

        var isFree: Bool { word == 0 }
        var tag: UInt32 { word & (.max << Self.slotBits) }
        /// Of an entry that is not free.
        var slot: Slot { Slot(number: (word & ~(.max << Self.slotBits)) &- 1) }
    }

    /// Its size is a power of two, and never more than seven eighths are taken: a place is looked at for its tag only, so
    /// that a long way costs less than a table of twice the size, which the cache does not hold.
    private var places = [Entry](repeating: .free, count: 16)
    private(set) var count = 0

    private var mask: Int { places.count - 1 }

    /// In no particular order.
    var slots: some Sequence<Slot> { places.lazy.filter { !$0.isFree }.map(\.slot) }

    /// The slot with that hash for which `isWanted` holds.
    func slot(_ hash: UInt64, where isWanted: (Slot) -> Bool) -> Slot? {
        let tag = Entry.tag(of: hash)
        var place = Int(truncatingIfNeeded: hash) & mask
        while !places[place].isFree {
            if places[place].tag == tag, isWanted(places[place].slot) { return places[place].slot }
            place = (place + 1) & mask
        }
        return nil
    }

    /// - Parameters:
    ///   - slot: not in there yet, and less than 2²⁰ − 1, four times what `max_transmitters` may be.
    ///   - hashOf: the hash of what stands in a slot that is in there.
    mutating func insert(_ slot: Slot, _ hash: UInt64, hashOf: (Slot) -> UInt64) {
        if (count + 1) * 8 > places.count * 7 { grow(hashOf) }
        place(slot, hash)
        count += 1
    }

    mutating func remove(_ slot: Slot, _ hash: UInt64, hashOf: (Slot) -> UInt64) {
        var gap = Int(truncatingIfNeeded: hash) & mask
        while places[gap].isFree || places[gap].slot != slot {
            if places[gap].isFree { return }
            gap = (gap + 1) & mask
        }
        count -= 1
        var next = (gap + 1) & mask
        while !places[next].isFree {
            // One that would not be found beyond the gap moves into it, and leaves the next gap.
            let home = Int(truncatingIfNeeded: hashOf(places[next].slot)) & mask
            if (next - home) & mask >= (next - gap) & mask {
                places[gap] = places[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        places[gap] = .free
    }

    private mutating func place(_ slot: Slot, _ hash: UInt64) {
        var place = Int(truncatingIfNeeded: hash) & mask
        while !places[place].isFree { place = (place + 1) & mask }
        places[place] = Entry(slot: slot, hash: hash)
    }

    private mutating func grow(_ hashOf: (Slot) -> UInt64) {
        let old = places
        places = [Entry](repeating: .free, count: old.count * 2)
        for entry in old where !entry.isFree { place(entry.slot, hashOf(entry.slot)) }
    }
}
