/// The outbox in figures. Counters run from the start of the process.
package struct OutboxHealth: Hashable, Sendable {
    /// Events that wait for an acknowledgement, those under way included.
    package var queuedEvents: Int64
    /// The part of them that is in memory alone.
    var eventsInMemory: Int64
    /// Bytes that the events take: the used pages of the file, and the memory.
    var queuedBytes: Int64
    /// Events set aside because the broker refuses them.
    var parkedEvents: Int
    /// Events lost, by cause. Losses whose number is not known are stated as gaps and not counted.
    var droppedEvents: [OutboxGap.Cause: Int64]
    /// What is wrong with the disk; `nil` where nothing is.
    var condition: OutboxCondition?
    /// Transactions written to the disk.
    var transactions: Int64
    /// Times the disk was told to make writes durable: one a transaction, three a checkpoint.
    var syncs: Int64
    /// Bytes written to the log and from there to the database, at most: a page that stands in the log several times is
    /// counted each time, and copied once.
    var bytesWritten: Int64
}
