/// A list of transmitters in the order in which they were appended, linked through the transmitters themselves, so that
/// one is taken out anywhere without a search. A transmitter is in one such list at most.
struct SlotList: Sendable {
    private(set) var first: TransmitterSlot?
    private var last: TransmitterSlot?

    mutating func append(_ slot: TransmitterSlot, in transmitters: inout [Transmitter]) {
        transmitters[slot].previousInList = last
        transmitters[slot].nextInList = nil
        if let last { transmitters[last].nextInList = slot } else { first = slot }
        last = slot
    }

    mutating func remove(_ slot: TransmitterSlot, in transmitters: inout [Transmitter]) {
        let previous = transmitters[slot].previousInList
        let next = transmitters[slot].nextInList
        if let previous { transmitters[previous].nextInList = next } else { first = next }
        if let next { transmitters[next].previousInList = previous } else { last = previous }
    }
}
