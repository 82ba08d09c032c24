import Testing

@testable import Core

@Suite("Slots stay as long as their elements")
struct SlotTableTests {
    private typealias Table = SlotTable<TransmitterSlot, String>

    @Test("Freed slots are reused, the latest first, before a new one is made")
    func reuses() {
        var table = Table()
        let slots = ["a", "b", "c"].map { table.insert($0) }
        #expect(slots == [0, 1, 2])
        table.remove(0)
        table.remove(2)
        #expect(table.count == 1 && table.slotCount == 3 && table.freeSlots == [0, 2])
        #expect(table.insert("d") == 2 && table.insert("e") == 0 && table.insert("f") == 3)
        #expect([0, 1, 2, 3].map { table[$0] } == ["e", "b", "d", "f"])
    }

    @Test("A removed element stays readable until its slot is reused")
    func stale() {
        var table = Table()
        let slot = table.insert("a")
        table.remove(slot)
        #expect(table[slot] == "a" && table.count == 0)
    }

    @Test("A slot that was freed twice is detected")
    func unsound() {
        var table = Table()
        for name in ["a", "b"] { _ = table.insert(name) }
        table.remove(1)
        #expect(table.isSound)
        table.remove(1)
        #expect(!table.isSound)
    }
}

@Suite("A transmitter that is forgotten leaves neither its identity nor its address in memory")
struct ForgottenTransmitterTests {
    @Test("Its free slot has other ones")
    func overwrites() throws {
        var table = TransmitterTable(capacity: 4)
        let sighting = Sighting(
            identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 7),
            address: DeviceAddress(bits: 0x4000_0000_0001, type: .random), measuredPower_dbm: -59, rssi_dbm: nil)
        let identity = table.identitySlot(sighting.identity)
        let slot = table.insert(
            Transmitter(sighting, device: nil, track: 1, interest: .wanted, identitySlot: identity, at: .origin))
        #expect(table.slot(sighting.identity, sighting.address) == slot)
        #expect(table.remove(slot) == identity)
        #expect(table.transmitters[slot].identity != sighting.identity)
        #expect(table.transmitters[slot].address != sighting.address)
        #expect(table.count == 0 && table.slot(sighting.identity, sighting.address) == nil)
    }
}

@Suite("Transmitters are listed without a search")
struct SlotListTests {
    private func table(_ count: Int) -> SlotTable<TransmitterSlot, Transmitter> {
        var table = SlotTable<TransmitterSlot, Transmitter>()
        for number in 0..<count {
            let sighting = Sighting(
                identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: UInt16(number)),
                address: DeviceAddress(bits: UInt64(number), type: .public), measuredPower_dbm: -59, rssi_dbm: nil)
            _ = table.insert(
                Transmitter(
                    sighting, device: nil, track: 1, interest: .wanted, identitySlot: IdentitySlot(number: 0),
                    at: .origin)
            )
        }
        return table
    }

    @Test("A transmitter is inserted at either end and removed anywhere")
    func order() {
        var (table, list) = (table(5), SlotList())
        for slot in [2, 3, 4] as [TransmitterSlot] { list.append(slot, to: .givingWay, in: &table) }
        for slot in [1, 0] as [TransmitterSlot] { list.prepend(slot, to: .givingWay, in: &table) }
        #expect(list.slots(of: .givingWay, in: table) == [0, 1, 2, 3, 4])
        for slot in [2, 0, 4] as [TransmitterSlot] { list.remove(slot, from: .givingWay, in: &table) }
        #expect(list.slots(of: .givingWay, in: table) == [1, 3] && list.first == 1 && list.last == 3)
        for slot in [1, 3] as [TransmitterSlot] { list.remove(slot, from: .givingWay, in: &table) }
        #expect(list.first == nil && list.last == nil)
    }

    @Test("A transmitter is in one list of each kind, independently")
    func kinds() {
        var table = table(2)
        var (givingWay, ofIdentity) = (SlotList(), SlotList())
        for slot in [0, 1] as [TransmitterSlot] {
            givingWay.append(slot, to: .givingWay, in: &table)
            ofIdentity.prepend(slot, to: .ofIdentity, in: &table)
        }
        givingWay.remove(0, from: .givingWay, in: &table)
        #expect(givingWay.slots(of: .givingWay, in: table) == [1])
        #expect(ofIdentity.slots(of: .ofIdentity, in: table) == [1, 0])
    }
}
