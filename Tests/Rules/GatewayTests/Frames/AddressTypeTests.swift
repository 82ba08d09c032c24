import TestAir
import Testing

@testable import Core

@Suite("Every address type is one transmitter, and only private ones rotate")
struct AddressTypeTests {
    /// Two addresses of each kind: a beacon's before and after.
    private static func pair(_ type: DeviceAddress.AddressType, highBits: UInt64) -> [DeviceAddress] {
        [1, 2].map { DeviceAddress(bits: highBits << 46 | $0, type: type) }
    }

    /// Returns the number of tracks when one address falls silent and another replaces it.
    private func tracks(_ addresses: [DeviceAddress]) -> UInt64 {
        var air = Air(othersUntil_s: 40)
        for (index, address) in addresses.enumerated() {
            let start_s = 1 + Double(index) * 15.1
            for step in 0..<150 {
                let event = Air.metaEvent(
                    [Air.extendedReport(address, data: Air.payload(.beacon()))], subevent: 0x0D)
                air.event(event, at: start_s + Double(step) * 0.1)
            }
        }
        return Story(.door(), air).figures.tracks
    }

    @Test(
        "Only a private address rotates, and becomes no other kind",
        arguments: [
            ("a resolvable private address", pair(.random, highBits: 0b01), 1),
            ("a non-resolvable private address", pair(.random, highBits: 0b00), 1),
            ("a static random address", pair(.random, highBits: 0b11), 2),
            ("the reserved kind of random address", pair(.random, highBits: 0b10), 2),
            ("a public address", pair(.public, highBits: 0b00), 2),
            ("a public address with the bits of a resolvable one", pair(.public, highBits: 0b01), 2),
            ("a public address with the bits of a static one", pair(.public, highBits: 0b11), 2),
            ("a public identity address that the controller resolved", pair(.publicIdentity, highBits: 0b01), 2),
            ("a random identity address that the controller resolved", pair(.randomIdentity, highBits: 0b01), 2),
            ("a private address and a static one", [.rotating(1), .fixed(2)], 2),
            ("a static address and a private one", [.fixed(1), .rotating(2)], 2),
            // Equal bits as public and as random address are two transmitters.
            ("equal bits", [DeviceAddress(bits: 5, type: .public), DeviceAddress(bits: 5, type: .randomIdentity)], 2),
            // Anonymous advertisements of one identity are one beacon, with any octets in place of the address.
            ("no address", pair(.anonymous, highBits: 0b01), 1),
        ] as [(String, [DeviceAddress], UInt64)])
    func rotation(of kind: String, addresses: [DeviceAddress], tracks: UInt64) {
        #expect(self.tracks(addresses) == tracks, "\(kind)")
    }
}
