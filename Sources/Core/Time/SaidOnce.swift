/// What has been said already, so that a state that lasts is one line in the log and not one for each time it is met.
package struct SaidOnce<Cause: Hashable & Sendable>: Sendable {
    private let limit: Int
    private var said: Set<Cause> = []

    /// - Parameter limit: how many causes are remembered; when there are more it starts anew. One is enough where each takes the
    ///   place of the one before.
    package init(limit: Int = 64) { self.limit = limit }

    /// Whether `cause` is news. It isn't any more afterwards.
    package mutating func isNew(_ cause: Cause) -> Bool {
        if said.contains(cause) { return false }
        if said.count >= limit { said.removeAll() }
        said.insert(cause)
        return true
    }

    /// It is over: the next time is news again.
    package mutating func forget() {
        said.removeAll()
    }

    package var isEmpty: Bool { said.isEmpty }
}
