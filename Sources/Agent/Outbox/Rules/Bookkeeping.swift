import Core

/// What the outbox knows of itself beside its content. A transaction works on a copy, which takes effect when the file
/// has it.
struct Bookkeeping {
    package var numbering: Numbering
    /// Whether the file holds this epoch, so that a restart would go on numbering in it.
    var isEpochStored = false
    /// Numbers of this epoch below these may be given in memory: they are reserved. 0 where none are.
    var reservedEnds = SeriesNumbers(0)
    /// The ends of the last reservations that the file knows to be dealt with.
    var settledReservations = SeriesNumbers(0)
    var nextPosition = Position.first
    var origin = PositionOrigin.none
    /// Events below this position are in the file, as far as they are still in the outbox.
    var storedEnd = Position.first
    /// Events in the file, acknowledged ones included until they are deleted there.
    var storedEvents: Int64 = 0
    /// Positions in the file that are acknowledged and still to be deleted there.
    var acknowledged = RangeSet<Position>()
    /// Positions of what made room for others; an acknowledgement that comes after all changes nothing.
    var droppedPositions = RangeSet<Position>()
    /// Every number of the epoch below these was acknowledged or stated as a gap.
    var settled = Numbering(epoch: "")
    var gaps = GapLedger()
    /// Whether `gaps` differs from the file.
    var areGapsChanged = false
    /// Events below this position are a former owner's.
    var formerEnd = Position.beforeAll
    var owners = EpochOwners()
    /// Whether the file does not say yet whose it is.
    var areOwnersChanged = true
    var dropped: [OutboxGap.Cause: Int64] = [:]

    /// Begins numbering anew in an epoch that the file does not know yet.
    mutating func begin(epoch: String) {
        numbering = Numbering(epoch: epoch)
        isEpochStored = false
        reservedEnds = SeriesNumbers(0)
        settledReservations = SeriesNumbers(0)
        settled = numbering
    }

    /// States the loss of `numbers`, which are in order.
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

    /// The file is gone: nothing from `firstPosition` on is in one any more.
    mutating func forgetFile(firstPosition: Position) {
        isEpochStored = false
        storedEnd = firstPosition
        storedEvents = 0
        acknowledged = RangeSet()
        areGapsChanged = true
        areOwnersChanged = true
    }

    /// Gives numbers to events that are lost already.
    mutating func lose(_ count: Int64) {
        guard let lost = numbering.give(count, of: .events) else { return }
        state(OutboxGap(epoch: numbering.epoch, lost, cause: .disk))
    }

    /// Gives `messages` their positions and goes on in the numbering.
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

    /// How many positions wait to be deleted in the file.
    var acknowledgedCount: Int64 { acknowledged.count }
}
