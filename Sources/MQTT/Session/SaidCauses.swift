/// Which causes have been said already, so that a fault that lasts is one line in the log and not one per attempt.
struct SaidCauses<Cause: Hashable & Sendable>: Sendable {
    /// More distinct causes than this at once are not worth remembering: it starts anew.
    private static var limit: Int { 64 }

    private var said: Set<Cause> = []

    /// Whether `cause` is news. It isn't any more afterwards.
    mutating func isNew(_ cause: Cause) -> Bool {
        if said.count >= Self.limit { said.removeAll() }
        return said.insert(cause).inserted
    }

    /// It is over: the next time is news again.
    mutating func forget() {
        said.removeAll()
    }

    var isEmpty: Bool { said.isEmpty }
}
