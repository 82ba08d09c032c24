import TestAir
import Testing

@testable import Core

@Suite("A flood is named, bounded, and hides no genuine beacon")
struct SpoofingTests {
    /// A flood begins at 65 s.
    private static let end = 105
    private static let limit = Settings.defaults.gateway.tracker.maxTransmitters
    private static let perSecond = 1_000

    /// A region of any beacon of the UUID. It is not ranged, because a list of 8192 beacons every second takes a debug
    /// build long.
    private static let any = BeaconRegion(
        id: "any", uuid: Air.uuid, isRanged: false, rules: BeaconRules.defaults)

    private static func flood(_ second: Int, _ event: (UInt64) -> [UInt8]) -> [[UInt8]] {
        guard second >= 65 else { return [] }
        return (0..<perSecond).map { event(UInt64((second - 65) * perSecond + $0)) }
    }

    private static func event(_ identity: BeaconIdentity, _ address: DeviceAddress, rssi: UInt8 = 0xC4) -> [UInt8] {
        Air.metaEvent([Air.legacyReport(address, data: Air.payload(identity), rssi: rssi)])
    }

    /// Numbers that repeat as rarely as random ones, and are equal every time.
    private static func scattered(_ number: UInt64) -> UInt64 { (number &+ 1) &* 0x9E37_79B9_7F4A_7C15 }

    /// Checks the rules that hold for every flood.
    private func expectUnharmed(_ siege: Siege, sourceLocation: SourceLocation = #_sourceLocation) {
        let odd = (0..<10).map { "exit genuine-\($0 * 2 + 1)" }
        let even = (1...10).map { "enter genuine-\($0 * 2)" }
        #expect(siege.events.sorted() == (odd + even).sorted(), sourceLocation: sourceLocation)
        #expect(siege.mostTransmitters <= Self.limit, sourceLocation: sourceLocation)
        #expect(siege.mostIdentities <= Self.limit + 1, sourceLocation: sourceLocation)
        #expect(siege.mostTimers <= 4 * (Self.limit + 64), sourceLocation: sourceLocation)
    }

    @Test("Identities and addresses of no region")
    func strangers() throws {
        var siege = Siege()
        siege.pass(until: Self.end) { second in
            Self.flood(second) { number in
                let identity = BeaconIdentity(
                    uuid: ProximityUUID(high: Self.scattered(number), low: number), major: 1, minor: 1)
                return Self.event(identity, .rotating(number))
            }
        }
        expectUnharmed(siege)
        #expect(Array(siege.suspects.keys) == [.identities])
        #expect(try #require(siege.suspects[.identities]) > 600)
    }

    /// The newcomers fill the table. A slot comes free whenever a beacon falls silent for good, so a new beacon waits
    /// for a report or two, and enters.
    @Test("Identities under the UUID of a region that any beacon of it enters")
    func underTheUUID() throws {
        var siege = Siege(following: [Self.any])
        siege.pass(until: Self.end) { second in
            Self.flood(second) { number in
                let numbers = Self.scattered(number) >> 32
                let identity = BeaconIdentity.beacon(
                    2 + UInt16(truncatingIfNeeded: numbers >> 16) % 60_000, UInt16(truncatingIfNeeded: numbers))
                return Self.event(identity, .rotating(number))
            }
        }
        expectUnharmed(siege)
        #expect(Array(siege.suspects.keys) == [.identities])
        #expect(try #require(siege.suspects[.identities]) > 600)
    }

    @Test("Addresses under the identity of a genuine beacon")
    func addresses() throws {
        var siege = Siege()
        siege.pass(until: 65)
        let before = siege.tracks
        siege.pass(until: Self.end) { second in
            Self.flood(second) { Self.event(.beacon(1, 2), .rotating($0 % 10_000)) }
        }
        // The flood is in the region of that beacon: its own entry comes sooner, and the others' as usual.
        #expect(siege.events.count == 20)
        #expect(siege.events.filter { $0 == "enter genuine-2" } == ["enter genuine-2"])
        #expect(siege.mostTransmitters <= Self.limit)
        for (minor, track) in siege.tracks { #expect(before[minor] ?? track == track) }
        #expect(siege.suspects[.addresses] ?? 0 > 50)
        #expect(siege.suspects[.identities] == nil)
    }

    @Test("Levels that no beacon has")
    func levels() throws {
        var siege = Siege()
        siege.pass(until: Self.end) { second in
            Self.flood(second) { Self.event(.beacon(9, UInt16($0 % 10)), .fixed(0xBAD + $0 % 10), rssi: 20) }
        }
        expectUnharmed(siege)
        #expect(Array(siege.suspects.keys) == [.rssi])
        #expect(try #require(siege.suspects[.rssi]) > 600)
    }

    @Test("Hundreds of phones that change their addresses within a second keep their number")
    func rotations() throws {
        // Heard from the start, so that they are no flood of identities.
        let phones = 600
        var siege = Siege(following: [Self.any])
        siege.pass(until: 112) { second in
            (0..<UInt64(phones)).map {
                Self.event(.beacon(7, UInt16($0)), .rotating($0 | (second < 98 ? 0 : 1) << 32))
            }
        }
        expectUnharmed(siege)
        #expect(siege.engine.figures.tracks == UInt64(phones + 20))
        #expect(siege.engine.figures.listedTracks == phones + 10)
        #expect(siege.suspects == [.rotations: Double(phones) / 60])
    }
}
