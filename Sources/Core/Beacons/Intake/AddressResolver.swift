/// Finds the known device that a resolvable private address belongs to.
///
/// Core 5.4, Vol 3, Part H, 2.2.2, and Vol 6, Part B, 1.3.2.2:
///
///     bits 47…24   prand, its two highest bits 01
///     bits 23…0    hash = ah(IRK, prand): the low 24 bits of AES-128(IRK, prand padded with zeros in front)
///
/// Keys are tried in the order in which their devices were last found. Few of a chain's thousand devices are in one
/// shop, and a new address is usually of one of those.
struct AddressResolver: Sendable {
    private let keys: [[UInt8]]
    /// Indices of `keys`, the most recently found first.
    private var order: [DeviceSlot]
    private var resolved = ResolvedAddresses()
    /// The number of keys tried: the cost of resolving.
    private(set) var attempts: UInt64 = 0

    /// Returns `nil` where no device is known. A cache without keys would take memory for nothing.
    init?(_ devices: [KnownDevice]) {
        guard !devices.isEmpty else { return nil }
        keys = devices.map(\.identityResolvingKey)
        order = keys.indices.map { DeviceSlot(index: $0) }
    }

    /// Returns the device of an address; `nil` where no key resolves it.
    mutating func device(for address: DeviceAddress) -> DeviceSlot? {
        guard address.isResolvablePrivate else { return nil }
        if let known = resolved.device(for: address) { return known }
        let device = tryKeys(on: address)
        resolved.remember(address, device)
        return device
    }

    private mutating func tryKeys(on address: DeviceAddress) -> DeviceSlot? {
        let prand = UInt32(truncatingIfNeeded: address.bits >> 24)
        let hash = UInt32(truncatingIfNeeded: address.bits & 0xFF_FFFF)
        guard var cipher = AES128.make() else { return nil }
        for place in order.indices {
            let device = order[place]
            attempts &+= 1
            guard Self.hash(keys[device.index], prand, by: &cipher) == hash else { continue }
            order.remove(at: place)
            order.insert(device, at: 0)
            return device
        }
        return nil
    }

    /// Returns the Core's `ah`; `nil` for a key that is not 128 bits long, which the configuration refuses.
    static func hash(_ key: [UInt8], _ prand: UInt32, by cipher: inout AES128) -> UInt32? {
        var block = AES128.Block.zero
        block[13] = UInt8(truncatingIfNeeded: prand >> 16)
        block[14] = UInt8(truncatingIfNeeded: prand >> 8)
        block[15] = UInt8(truncatingIfNeeded: prand)
        guard let encrypted = cipher.encrypt(block, key: key) else { return nil }
        return UInt32(encrypted[13]) << 16 | UInt32(encrypted[14]) << 8 | UInt32(encrypted[15])
    }
}

/// A known device: an index of `TrackerSettings.devices`.
struct DeviceSlot: SlotNumber {
    let number: UInt32
}

/// A cache of resolved and unresolvable addresses. Trying 1,024 keys takes a quarter of a millisecond. One address is
/// asked for again when it has a second identity, was forgotten, or is refused by a full table with every report.
///
/// The cache has one place for each address hash, and a new address replaces the old one. So the cache never grows.
/// Made-up addresses only cause others to be tried again.
struct ResolvedAddresses: Sendable {
    private struct Entry: Sendable {
        /// 48 bits of a resolvable private address; all bits are set where the place is free.
        var address = UInt64.max
        /// The device; `nil` where no key resolves the address.
        @CompactSlot var device: DeviceSlot? = nil
    }

    static let capacity = 4_096
    private var entries = Array(repeating: Entry(), count: Self.capacity)

    var count: Int { entries.count }

    /// Returns the device found, or that none was found; `nil` where the address is not cached.
    func device(for address: DeviceAddress) -> DeviceSlot?? {
        let place = Self.place(of: address)
        guard entries.indices.contains(place), entries[place].address == address.bits else { return nil }
        return .some(entries[place].device)
    }

    mutating func remember(_ address: DeviceAddress, _ device: DeviceSlot?) {
        let place = Self.place(of: address)
        guard entries.indices.contains(place) else { return }
        entries[place] = Entry(address: address.bits, device: device)
    }

    /// Returns the place of an address. Both halves of an address are close to random.
    private static func place(of address: DeviceAddress) -> Int {
        Int((address.bits ^ address.bits >> 24) % UInt64(capacity))
    }
}
