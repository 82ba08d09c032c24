/// A device address and the time for which a transmitter uses it.
package struct AddressSpan: Hashable, Sendable {
    package var address: DeviceAddress
    /// First instant of use.
    package var from: Instant
    /// First instant after its use: the rotation, or the end of the visit.
    var until: Instant

    package init(address: DeviceAddress, from: Instant, until: Instant) {
        self.address = address
        self.from = from
        self.until = until
    }
}

extension AddressSpan {
    /// One address for all of `path`, with the two top bits 11: static random, which never rotates.
    static func fixed(for path: ActorPath, random: inout RandomStream) -> [AddressSpan] {
        let address = DeviceAddress(bits: random.next() | 0xC000_0000_0000, type: .random)
        return [AddressSpan(address: address, from: path.start, until: path.end)]
    }

    /// A new random private address at each of `rotations` (ascending) that falls inside `path`.
    ///
    /// The top bits are 01, as a phone's. The hash part is random: no resolving key explains these addresses.
    static func rotating(for path: ActorPath, at rotations: [Instant], random: inout RandomStream) -> [AddressSpan] {
        var spans: [AddressSpan] = []
        var from = path.start
        for until in rotations.filter({ $0 > path.start && $0 < path.end }) + [path.end] {
            let bits = random.next() & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000
            spans.append(AddressSpan(address: DeviceAddress(bits: bits, type: .random), from: from, until: until))
            from = until
        }
        return spans
    }

    /// Rotations every 15 minutes give or take half a minute, beginning anywhere in the first 15.
    static func rotatingEveryQuarterHour(for path: ActorPath, random: inout RandomStream) -> [AddressSpan] {
        var rotations: [Instant] = []
        var at = path.start + .seconds(random.uniform(0..<900))
        while at < path.end {
            rotations.append(at)
            at += .seconds(random.uniform(870..<930))
        }
        return rotating(for: path, at: rotations, random: &random)
    }
}
