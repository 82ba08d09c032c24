import Core

/// The outbox's own figures, beside its content. A transaction works on a copy, which takes effect once the file has
/// it.
struct Bookkeeping {
    package var numbering: Numbering
    /// Whether the file holds this epoch, so that a restart would continue it.
    var isEpochStored = false
    /// Numbers of this epoch below these are reserved, and may be given in memory. 0 where none are.
    var reservedEnds = SeriesNumbers(0)
    /// The ends of the last reservations that the file has settled.
    var settledReservations = SeriesNumbers(0)
    var nextPosition = Position.first
    var origin = PositionOrigin.none
    /// Events below this position are in the file, unless they have left the outbox.
    var storedEnd = Position.first
    /// Events in the file, including acknowledged ones that are not deleted yet.
    var storedEvents: Int64 = 0
    /// Positions in the file that are acknowledged and not deleted yet.
    var acknowledged = RangeSet<Position>()
    /// Positions of dropped events. A late acknowledgement of one changes nothing.
    var droppedPositions = RangeSet<Position>()
    /// Every number of the epoch below these was acknowledged or reported as a gap.
    var settled = Numbering(epoch: "")
    var gaps = GapLedger()
    /// Whether `gaps` differs from the file.
    var areGapsChanged = false
    /// Events below this position belong to a former owner.
    var formerEnd = Position.beforeAll
    var owners = EpochOwners()
    /// Whether the file does not name its owner yet.
    var areOwnersChanged = true
    var dropped: [OutboxGap.Cause: Int64] = [:]

    /// Begins a new epoch, which the file does not know yet.
    mutating func begin(epoch: String) {
        numbering = Numbering(epoch: epoch)
        isEpochStored = false
        reservedEnds = SeriesNumbers(0)
        settledReservations = SeriesNumbers(0)
        settled = numbering
    }

    /// Reports the loss of `numbers`, which are in order.
    mutating func drop(_ numbers: some Sequence<MessageNumber>, cause: OutboxGap.Cause) {
        for number in numbers {
            dropped[cause, default: 0] += 1
            state(
                OutboxGap(
                    epoch: number.epoch, series: number.series, NumberRun(number.seq), cause: cause))
        }
    }

    mutating func state(_ gap: OutboxGap) {
        gaps.add(gap)
        areGapsChanged = true
    }

    /// Notes that the file is gone: no file holds an event from `firstPosition` on.
    mutating func forgetFile(firstPosition: Position) {
        isEpochStored = false
        storedEnd = firstPosition
        storedEvents = 0
        acknowledged = RangeSet()
        areGapsChanged = true
        areOwnersChanged = true
    }

    /// Numbers events that are already lost.
    mutating func lose(_ count: Int64) {
        guard let lost = numbering.give(count, of: .events) else { return }
        state(OutboxGap(epoch: numbering.epoch, lost, cause: .disk))
    }

    /// Gives `messages` their positions, and advances the numbering.
    mutating func position(_ messages: [NumberedMessage]) -> [QueuedMessage] {
        var queued: [QueuedMessage] = []
        queued.reserveCapacity(messages.count)
        for message in messages {
            queued.append(QueuedMessage(position: nextPosition, message))
            nextPosition = nextPosition.next
            numbering.goOn(after: message.number)
        }
        return queued
    }

    /// The number of positions that wait for their deletion in the file.
    var acknowledgedCount: Int64 { acknowledged.count }
}
