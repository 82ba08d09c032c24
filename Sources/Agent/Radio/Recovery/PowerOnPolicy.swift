import Core

/// Whether an adapter that is down is to be brought up.
///
/// An adapter that another process put down while we were using it was switched off deliberately: it stays off until
/// somebody switches it on, or it is unplugged. Any other is brought up, where that is permitted: one that nobody has
/// brought up since the machine started or since it was plugged in, one that a kill switch put down and that is
/// unblocked, and one that did not come up again from our own down and up.
struct PowerOnPolicy: Sendable {
    /// Whoever manages adapters here, bluetoothd for instance, gets this long to do it first.
    static let grace = TimeSpan.seconds(2)
    /// From one attempt to the next: doubled each time, between these.
    static let pauses = TimeSpan.seconds(2)...TimeSpan.seconds(60)

    private let mayAdminister: Bool
    /// Adapters that others switched off, by index.
    private var switchedOff: Set<UInt16> = []
    /// The adapter that we have taken down and not yet seen up again.
    private var takenDown: UInt16?
    /// The adapter that is to be brought up, and when.
    private var due: (index: UInt16, at: Instant)?
    private var pause = DoublingPause(pauses)

    /// - Parameter mayAdminister: without CAP_NET_ADMIN nothing is ever brought up.
    init(mayAdminister: Bool) {
        self.mayAdminister = mayAdminister
    }

    /// It is down by our own doing: what keeps it there is that its controller does not answer.
    func isTakenDown(_ index: UInt16) -> Bool { takenDown == index }

    /// The adapter is there, not blocked, and down. Returns whether to bring it up now.
    mutating func foundDown(_ index: UInt16, at instant: Instant) -> Bool {
        guard mayAdminister, !switchedOff.contains(index) else { return false }
        guard let due, due.index == index else {
            due = (index, instant + Self.grace)
            pause.reset()
            return false
        }
        guard instant >= due.at else { return false }
        self.due = (index, instant + pause.next())
        return true
    }

    /// A kill switch holds it, and has put it down if it was up.
    mutating func foundBlocked(_ index: UInt16) {
        switchedOff.remove(index)
        due = nil
    }

    mutating func foundUp(_ index: UInt16) {
        switchedOff.remove(index)
        if takenDown == index { takenDown = nil }
        due = nil
    }

    /// Another process put it down while we were using it.
    mutating func wasSwitchedOff(_ index: UInt16) {
        switchedOff.insert(index)
    }

    /// We are about to take it down, and up again.
    mutating func willTakeDown(_ index: UInt16) {
        takenDown = index
    }

    /// Another that comes under its index is a new one.
    mutating func disappeared(_ index: UInt16) {
        switchedOff.remove(index)
        if takenDown == index { takenDown = nil }
        if due?.index == index { due = nil }
    }
}
