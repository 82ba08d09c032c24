/// Finds a source blind that has perceived nothing for too long while it listened. A radio is found out by whoever owns it; of a
/// receiver of fixes silence is all there is to go by.
///
/// A receiver that rests on purpose is not blind: the time for which it rests does not count.
struct Listening: Sendable {
    /// After how much silence it is blind; `nil` where silence means nothing.
    private var limit: TimeSpan?
    /// Since when it has listened in vain, as if it had not rested in between; `nil` while it rests.
    private var since: Instant? = .origin
    /// How long it has listened in vain, for when it goes on.
    private var silence = TimeSpan.zero

    /// When it is blind unless it perceives anything before.
    package var due: Instant {
        guard let limit, let since else { return .distantFuture }
        return since + limit
    }

    /// Since when it has listened in vain.
    var silentSince: Instant { since ?? .distantFuture }

    /// Silence of that length is blindness, or a shorter one that was said before.
    mutating func expect(within span: TimeSpan, at now: Instant) {
        if limit == nil, since != nil { since = now }
        limit = min(limit ?? span, span)
    }

    mutating func perceived(at now: Instant) {
        silence = .zero
        if since != nil { since = now }
    }

    mutating func rests(at now: Instant) {
        guard let since else { return }
        silence = max(.zero, now - since)
        self.since = nil
    }

    mutating func listens(at now: Instant) {
        if since == nil { since = now - silence }
    }
}
