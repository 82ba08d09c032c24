/// The readings of the last seconds, for the kinds that average a window (`trimmed_mean`, `iqr_mean`, `median`).
///
/// Time is cut into slots, `slotCount` to a window. A slot that heard anything counts as one reading, the mean of what
/// it heard. So the memory is bounded whatever the packet rate, seconds count and not packets, and readings that come
/// late or in another order find their place. The window ends with the newest slot.
struct SlidingWindow: Sendable {
    /// With 64 slots a window of 20 s tells readings apart that are 0.3 s from each other, one of 3 s those 47 ms apart.
    static let slotCount = 64

    let length_s: Double
    let average: WindowAverage
    /// The average of the window; `nil` before the first reading.
    private(set) var value: Double?
    /// The slots that heard anything, lowest level first.
    private var slots: [Slot] = []
    private var newest = Int64.min

    private struct Slot: Sendable {
        var index: Int64
        var sum: Double
        package var count: Double
        package var level: Double { sum / count }
    }

    init(length_s: Double, average: WindowAverage) {
        self.length_s = length_s
        self.average = average
    }

    mutating func add(_ reading: Double, at: Instant) {
        let index = slotIndex(of: at)
        if slots.isEmpty {
            slots.reserveCapacity(Self.slotCount)
            newest = index
        } else if index > newest {
            newest = index
            forgetThePast()
        } else if isPast(index) {
            // The clock was set back: what is held moves back with it.
            for position in slots.indices { slots[position].index -= newest - index }
            newest = index
        }
        put(Slot(index: index, sum: reading, count: 1))
        value = average(of: slots.lazy.map(\.level))
    }

    mutating func takeOver(_ former: SlidingWindow) {
        guard length_s == former.length_s, average == former.average, !former.slots.isEmpty else { return }
        guard !slots.isEmpty else {
            self = former
            return
        }
        newest = max(newest, former.newest)
        forgetThePast()
        for slot in former.slots where !isPast(slot.index) { put(slot) }
        value = average(of: slots.lazy.map(\.level))
    }

    private func isPast(_ index: Int64) -> Bool { newest - index >= Int64(Self.slotCount) }

    private mutating func forgetThePast() {
        let oldest = newest - Int64(Self.slotCount) + 1
        slots.removeAll { $0.index < oldest }
    }

    /// Merges `slot` with what its index has already, and keeps the order of levels.
    private mutating func put(_ slot: Slot) {
        var slot = slot
        if let position = slots.firstIndex(where: { $0.index == slot.index }) {
            let held = slots.remove(at: position)
            slot.sum += held.sum
            slot.count += held.count
        }
        let position = slots.firstIndex { $0.level > slot.level } ?? slots.endIndex
        slots.insert(slot, at: position)
    }

    /// The slot that `at` falls into, rounded down. Times are held to a quarter of their range, so that no difference of two
    /// indices overflows.
    private func slotIndex(of at: Instant) -> Int64 {
        let microseconds = min(max(at.microseconds, .min / 4), .max / 4)
        let width = max(1, TimeSpan.seconds(length_s / Double(Self.slotCount)).microseconds)
        return microseconds / width - (microseconds % width < 0 ? 1 : 0)
    }
}
