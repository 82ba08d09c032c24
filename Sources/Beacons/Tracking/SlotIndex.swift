/// Finds slots by a hash of what stands in them: a hash table that holds slots and nothing else.
///
/// Open addressing with linear probing; what is taken out leaves no gap behind, because those after it move up. Where
/// `Dictionary` keeps a copy of every key, here the caller compares with what it has anyway: four octets an entry, not
/// 40, and one line of the cache less for each look-up.
struct SlotIndex: Sendable {
    /// Slot + 1; zero is free. Its size is a power of two, and never more than three quarters are taken.
    private var places = [UInt32](repeating: 0, count: 16)
    private(set) var count = 0

    private var mask: Int { places.count - 1 }

    /// In no particular order.
    var slots: some Sequence<Int> { places.lazy.filter { $0 != 0 }.map { Int($0) - 1 } }

    /// The slot with that hash for which `isWanted` holds.
    func slot(_ hash: UInt64, where isWanted: (Int) -> Bool) -> Int? {
        var place = Int(truncatingIfNeeded: hash) & mask
        while places[place] != 0 {
            let slot = Int(places[place]) - 1
            if isWanted(slot) { return slot }
            place = (place + 1) & mask
        }
        return nil
    }

    /// - Parameters:
    ///   - slot: not in there yet, and less than 2³² − 1.
    ///   - hashOf: the hash of what stands in a slot that is in there.
    mutating func insert(_ slot: Int, _ hash: UInt64, hashOf: (Int) -> UInt64) {
        if (count + 1) * 4 > places.count * 3 { grow(hashOf) }
        place(slot, hash)
        count += 1
    }

    mutating func remove(_ slot: Int, _ hash: UInt64, hashOf: (Int) -> UInt64) {
        var gap = Int(truncatingIfNeeded: hash) & mask
        while places[gap] != UInt32(slot + 1) {
            if places[gap] == 0 { return }
            gap = (gap + 1) & mask
        }
        count -= 1
        var next = (gap + 1) & mask
        while places[next] != 0 {
            // One that would not be found beyond the gap moves into it, and leaves the next gap.
            let home = Int(truncatingIfNeeded: hashOf(Int(places[next]) - 1)) & mask
            if (next - home) & mask >= (next - gap) & mask {
                places[gap] = places[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        places[gap] = 0
    }

    private mutating func place(_ slot: Int, _ hash: UInt64) {
        var place = Int(truncatingIfNeeded: hash) & mask
        while places[place] != 0 { place = (place + 1) & mask }
        places[place] = UInt32(slot + 1)
    }

    private mutating func grow(_ hashOf: (Int) -> UInt64) {
        let old = places
        places = [UInt32](repeating: 0, count: old.count * 2)
        for entry in old where entry != 0 { place(Int(entry) - 1, hashOf(Int(entry) - 1)) }
    }
}
