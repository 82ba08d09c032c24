/// What keys have explained lately, or not: to try 1,024 of them takes a quarter of a millisecond, and the same address is
/// asked for again where it stands for a second identity, was forgotten, or is refused by a full table with every report.
///
/// Each address has one place, which it takes from whoever had it. So it never grows, and whoever makes addresses up
/// gains no more than that they are tried again.
struct ResolvedAddresses: Sendable {
    private struct Entry: Sendable {
        /// 48 bits of a resolvable private address; all bits are set where the place is free.
        package var address = UInt64.max
        /// `nil` where no key explains it.
        @CompactSlot package var device: DeviceSlot? = nil
    }

    static let capacity = 4_096
    private var entries: [Entry]

    /// - Parameter isUsed: without keys there is nothing to remember, and no memory is taken.
    init(isUsed: Bool) {
        entries = isUsed ? Array(repeating: Entry(), count: Self.capacity) : []
    }

    package var count: Int { entries.count }

    /// The device that was found, or that none was; `nil` where the address is not remembered.
    package func device(for address: DeviceAddress) -> DeviceSlot?? {
        let place = Self.place(of: address)
        guard entries.indices.contains(place), entries[place].address == address.bits else { return nil }
        return .some(entries[place].device)
    }

    mutating func remember(_ address: DeviceAddress, _ device: DeviceSlot?) {
        let place = Self.place(of: address)
        guard entries.indices.contains(place) else { return }
        entries[place] = Entry(address: address.bits, device: device)
    }

    /// Both halves of an address are as good as random.
    private static func place(of address: DeviceAddress) -> Int {
        Int((address.bits ^ address.bits >> 24) % UInt64(capacity))
    }
}
