import Testing

@testable import Core

/// The cost is counted in keys tried: each is one AES operation.
@Suite("Known keys are tried no more often than they have to be")
struct AddressResolverTests {
    private static func device(_ number: Int) -> KnownDevice {
        let octets = (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 2))) &+ UInt8($0) }
        return KnownDevice(name: "device \(number)", identityResolvingKey: octets)
    }

    private let devices = (0..<1_024).map(Self.device)

    /// Returns the address of a device that begins with `prand`.
    private func address(of device: KnownDevice, prand: UInt32) throws -> DeviceAddress {
        let prand = prand & 0x3F_FFFF | 0x40_0000
        let hash = try #require(Self.hash(device.identityResolvingKey, prand))
        return DeviceAddress(bits: UInt64(prand) << 24 | UInt64(hash), type: .random)
    }

    private static func hash(_ key: [UInt8], _ prand: UInt32) -> UInt32? {
        guard var cipher = AES128.make() else { return nil }
        return AddressResolver.hash(key, prand, by: &cipher)
    }

    private func stranger(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(bits: 0b01 << 46 | number &* 0x9E37_79B9_7F4A & 0x3FFF_FFFF_FFFF, type: .random)
    }

    @Test("An address is tried once, whether a key resolves it or none does")
    func once() throws {
        var resolver = try #require(AddressResolver(devices))
        let known = try address(of: devices[700], prand: 1)
        for _ in 0..<5 {
            #expect(resolver.device(for: known) == 700)
            #expect(resolver.device(for: stranger(1)) == nil)
        }
        #expect(resolver.attempts == 701 + 1_024)
    }

    @Test("Of a thousand devices, only those present cost tries, each time they rotate")
    func recent() throws {
        var resolver = try #require(AddressResolver(devices))
        let about = [3, 90, 250, 400, 512, 600, 777, 800, 900, 1_023]
        for index in about { #expect(resolver.device(for: try address(of: devices[index], prand: 1))?.index == index) }
        for round in 2..<50 as Range<UInt32> {
            for index in about {
                let before = resolver.attempts
                #expect(resolver.device(for: try address(of: devices[index], prand: round))?.index == index)
                #expect(resolver.attempts - before <= 10)
            }
        }
    }

    @Test("The cache is bounded, and right about addresses that were replaced")
    func bounded() throws {
        var resolver = try #require(AddressResolver(Array(devices.prefix(3))))
        for number in 0..<20_000 as Range<UInt64> { #expect(resolver.device(for: stranger(number)) == nil) }
        #expect(ResolvedAddresses().count == ResolvedAddresses.capacity)
        for prand in 0..<10_000 as Range<UInt32> {
            #expect(resolver.device(for: try address(of: devices[1], prand: prand)) == 1)
        }
        for prand in 0..<10_000 as Range<UInt32> {
            #expect(resolver.device(for: try address(of: devices[1], prand: prand)) == 1)
        }
    }

    @Test("Without keys no address is tried and none is cached")
    func none() { #expect(AddressResolver([]) == nil) }

    @Test("A newcomer that a full table refuses with every report is tried once")
    func refused() {
        var tracker = BeaconTracker(
            TrackerSettings(
                maxTransmitters: 1, unknownAfter: .seconds(2), resolveAfter: .seconds(10),
                distanceFilter: FilterSettings(kind: .ewma, timeConstant_s: 1),
                regionFilter: FilterSettings(kind: .ewma, timeConstant_s: 1), devices: devices),
            distance: DistanceSettings(model: .indoor, pathLossExponent: 2, immediate_m: 0.5, near_m: 4, hysteresis: 0))
        let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 1)
        var changes: [TrackerChange] = []
        for step in 0..<100 as Range<Int64> {
            for number in [1, 2] as [UInt64] {
                let sighting = Sighting(
                    identity: identity, address: stranger(number), measuredPower_dbm: -59, rssi_dbm: -60)
                _ = tracker.receive(
                    sighting, at: .origin + .milliseconds(step * 10), interest: { _ in .wanted }, changes: &changes)
            }
        }
        #expect(tracker.refusedCount == 100)
        #expect(tracker.resolver?.attempts == 2 * 1_024)
    }
}
