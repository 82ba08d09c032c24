import TestAir
import Testing

@testable import Core

@Suite("Slots are found by hash")
struct SlotIndexTests {
    /// Returns only four hashes, so that nearly all slots collide.
    private func hash(_ slot: TransmitterSlot) -> UInt64 { UInt64(slot.number % 4) * 5 }

    private func find(_ index: SlotIndex<TransmitterSlot>, _ slot: TransmitterSlot) -> TransmitterSlot? {
        index.slot(hash(slot)) { $0 == slot }
    }

    private func slots(_ count: Int) -> [TransmitterSlot] { (0..<count).map { TransmitterSlot(index: $0) } }

    @Test("Inserted slots are found, removed ones are not, with any collisions and in any order")
    func findsAll() {
        var index = SlotIndex<TransmitterSlot>()
        var there: Set<TransmitterSlot> = []
        var state: UInt64 = 1
        for _ in 0..<5_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let slot = TransmitterSlot(number: UInt32(state >> 33) % 40)
            if there.remove(slot) != nil {
                index.remove(slot, hash(slot), hashOf: hash)
            } else {
                there.insert(slot)
                index.insert(slot, hash(slot), hashOf: hash)
            }
            #expect(index.count == there.count)
            #expect(slots(40).holdForAll { (find(index, $0) != nil) == there.contains($0) })
        }
        #expect(Set(index.slots) == there)
    }

    @Test("Removing an absent slot changes nothing")
    func removesNothing() {
        var index = SlotIndex<TransmitterSlot>()
        index.insert(3, hash(3), hashOf: hash)
        index.remove(7, hash(7), hashOf: hash)
        #expect(index.count == 1 && find(index, 3) == 3)
    }

    @Test("A slot with another hash is not compared, wherever it is")
    func looksAtFew() {
        var index = SlotIndex<TransmitterSlot>()
        // All belong in one place, and differ in their highest bits.
        func hash(_ slot: TransmitterSlot) -> UInt64 { UInt64(slot.number) << 52 }
        for slot in slots(8) { index.insert(slot, hash(slot), hashOf: hash) }
        for wanted in slots(8) {
            var asked: [TransmitterSlot] = []
            let found = index.slot(hash(wanted)) { slot in
                asked.append(slot)
                return slot == wanted
            }
            #expect(found == wanted && asked == [wanted])
        }
    }
}
