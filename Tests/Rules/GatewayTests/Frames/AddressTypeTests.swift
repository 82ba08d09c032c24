import TestAir
import Testing

@testable import Core

@Suite("Every address type is one transmitter, and only private ones rotate")
struct AddressTypeTests {
    /// Two addresses of each kind: a beacon's before and after.
    private func pair(_ type: DeviceAddress.AddressType, highBits: UInt64) -> [DeviceAddress] {
        [1, 2].map { DeviceAddress(bits: highBits << 46 | $0, type: type) }
    }

    /// Returns the number of tracks when one address falls silent and another replaces it.
    private func tracks(_ addresses: [DeviceAddress]) -> UInt64 {
        var air = Air()
        air.otherDevices(end_s: 40)
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

    @Test("A resolvable or non-resolvable private address rotates", arguments: [0b01, 0b00] as [UInt64])
    func privateAddresses(highBits: UInt64) { #expect(tracks(pair(.random, highBits: highBits)) == 1) }

    @Test("A static random address never rotates")
    func staticAddress() { #expect(tracks(pair(.random, highBits: 0b11)) == 2) }

    @Test("The reserved kind of random address never rotates")
    func reservedAddress() { #expect(tracks(pair(.random, highBits: 0b10)) == 2) }

    @Test("A public address never rotates, with any bits", arguments: [0b00, 0b01, 0b11] as [UInt64])
    func publicAddress(highBits: UInt64) { #expect(tracks(pair(.public, highBits: highBits)) == 2) }

    @Test("An identity address that the controller resolved never rotates")
    func identityAddresses() {
        #expect(tracks(pair(.publicIdentity, highBits: 0b01)) == 2)
        #expect(tracks(pair(.randomIdentity, highBits: 0b01)) == 2)
    }

    @Test("A private address does not become a static one")
    func privateToStatic() { #expect(tracks([.rotating(1), .fixed(2)]) == 2) }

    @Test("A static address does not become a private one")
    func staticToPrivate() { #expect(tracks([.fixed(1), .rotating(2)]) == 2) }

    @Test("Equal bits as public and as random address are two transmitters")
    func sameBits() {
        #expect(tracks([DeviceAddress(bits: 5, type: .public), DeviceAddress(bits: 5, type: .randomIdentity)]) == 2)
    }

    @Test("Anonymous advertisements of one identity are one beacon, with any octets in place of the address")
    func anonymous() {
        #expect(tracks(pair(.anonymous, highBits: 0b01)) == 1)
    }
}
