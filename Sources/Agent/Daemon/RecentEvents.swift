import Core
import Synchronization

/// The ring of recent events between the radio loop, which fills it, and whoever writes them to a file.
package final class RecentEvents: Sendable {
    /// Octets that are copied at once, so that the radio loop never waits longer than that takes.
    static let pieceLength = 1 << 16

    private let ring: Mutex<EventRing>

    /// - Parameter capacity: octets.
    package init(capacity: Int) {
        ring = Mutex(EventRing(capacity: capacity))
    }

    package func push(_ event: Span<UInt8>, at instant: Instant) { ring.withLock { $0.push(event, at: instant) } }

    /// Behind the latest event.
    package var newest: EventRing.Cursor { ring.withLock(\.newest) }

    /// The next events from `cursor` on, some 64 KiB of them.
    package func piece(from cursor: EventRing.Cursor, through end: EventRing.Cursor) -> EventPiece {
        ring.withLock { $0.piece(from: cursor, through: end, limit: Self.pieceLength) }
    }
}
