/// A value of the engine that becomes messages of one kind.
///
/// The kind's file in `Payloads` has all that is particular to it: its fields, its messages, and its records. The queue,
/// the outbox and the publisher treat all kinds alike.
package protocol MessageContent: Hashable, Sendable {
    /// The handling on the way to the broker.
    var handling: OutputHandling { get }

    /// Returns the messages and records.
    ///
    /// - Parameter composer: remembers pseudonyms, so it changes.
    func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication
}

extension MessageContent {
    package var handling: OutputHandling { .ofEvents }
}

/// The time and the numbers of a publication.
package struct PublicationContext {
    /// The time of the event that the messages report.
    let instant: Instant
    let timebase: Timebase
    /// Returns the next number of a series. A publication takes at most one.
    let number: (NumberSeries) -> MessageNumber
    /// Returns the last event of an instance; 0 before the first, or where it is not known any more.
    let eventSeq: (RegionInstanceID) -> Int64

    package init(
        at instant: Instant, _ timebase: Timebase, number: @escaping (NumberSeries) -> MessageNumber,
        eventSeq: @escaping (RegionInstanceID) -> Int64
    ) {
        self.instant = instant
        self.timebase = timebase
        self.number = number
        self.eventSeq = eventSeq
    }
}

/// A `MessageContent` of any kind.
package struct Announcement: Hashable, Sendable {
    package let content: any MessageContent

    init(_ content: any MessageContent) { self.content = content }

    package static func == (left: Announcement, right: Announcement) -> Bool {
        AnyHashable(left.content) == AnyHashable(right.content)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(content)) }
}

/// The messages of one output, in the order of sending, and the records that are stored with them.
package struct Publication: Sendable {
    package enum Item: Sendable {
        case numbered(NumberedMessage)
        /// A retained message, with the value of its topic's record; `nil` where the value does not matter.
        case retained(Message, stored: [UInt8]? = nil)
        /// A message that is not stored.
        case ephemeral(Message)
    }

    package var items: [Item]
    /// Records beside those of retained topics, by their keys.
    package var records: [(key: String, value: [UInt8])] = []
    package var removedKeys: [String] = []
    /// The beginning of the keys of more records to remove.
    package var removedPrefix: String?
    /// The kind whose former pages are cleared, where the items do not replace them.
    package var pages: MessageKind?

    init(_ items: [Item]) { self.items = items }
}

/// The handling of an output on its way to the broker. The queue between the loops and the commit group needs to know
/// no more about an output.
package struct OutputHandling: Hashable, Sendable {
    /// The treatment of the output when the queue is full.
    package enum Shedding: Hashable, Sendable {
        /// The queue always takes it: such outputs are as rare as requests, or changes of the radio.
        case never
        /// The queue drops it beyond so many waiting outputs. It comes again by itself.
        case silent(from: Int)
        /// The queue drops it beyond so many waiting outputs, and `health` counts it.
        case counted(from: Int)
        /// Beyond so many waiting outputs, the queue keeps only the last state. Its event is lost, and a gap shows so.
        case reduced(from: Int)

        /// The limit for ranging, which is by far the most frequent output.
        static let earlyLimit = 4_096
        /// The limit for all others, reached when the disk hangs for long while thousands of regions change.
        static let lateLimit = 262_144
    }

    /// The commit of the output to the disk.
    package enum Commit: Hashable, Sendable {
        case never
        /// In the next transaction; see `CommitGroup`.
        case soon
        /// In a later transaction, which it shares with another output: no client waits for it.
        case eventually
    }

    package var shedding: Shedding
    package var commit: Commit

    /// The handling of what is rare and must not be lost.
    static let ofEvents = OutputHandling(shedding: .never, commit: .soon)
    /// The handling of lists that the next one replaces.
    static let ofRanging = OutputHandling(shedding: .counted(from: Shedding.earlyLimit), commit: .never)
    /// The handling of what has no value later, and is not stored.
    static let ofPresent = OutputHandling(shedding: .silent(from: Shedding.lateLimit), commit: .never)
}
