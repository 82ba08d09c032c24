import HeapModule

/// The monitor's data of circles beside their instances.
struct WatchedCircles: Sendable {
    /// A circle that was not yet reported as too small.
    private struct Unsaid: Comparable, Sendable {
        var radius_m: Double
        var slot: InstanceSlot
        /// The registration. It differs where the circle was unregistered and its slot reused.
        var registration: RegistrationSlot

        static func < (left: Unsaid, right: Unsaid) -> Bool {
            (left.radius_m, left.slot.index) < (right.radius_m, right.slot.index)
        }
    }

    private(set) var grid = CircleGrid()
    /// The circles that are compared with every fix: those inside, and those with fixes on the other side.
    private(set) var standing: [InstanceSlot: CircleStanding] = [:]
    /// The circles whose state is not decided, by the time from which they wait for it.
    var settling: [SettlingCircles] = []
    /// The circles that begin to wait with the next fix: new ones, and those that have become unknown.
    var waiting: [InstanceSlot] = []
    /// The number of circles that are inside.
    var insideCount = 0
    private var accuracies = RecentAccuracies()
    private var unsaid = Heap<Unsaid>()
    /// The number of comparisons of a fix with a circle.
    private(set) var judgedCount = 0

    mutating func insert(_ slot: InstanceSlot, _ circle: Circle, of registration: RegistrationSlot) {
        grid.insert(slot, circle)
        waiting.append(slot)
        unsaid.insert(Unsaid(radius_m: circle.radius_m, slot: slot, registration: registration))
    }

    mutating func remove(_ slot: InstanceSlot, _ circle: Circle) {
        grid.remove(slot, circle)
        standing[slot] = nil
        waiting.removeAll { $0 == slot }
        for index in settling.indices { settling[index].members.removeAll { $0 == slot } }
        settling.removeAll { $0.members.isEmpty }
        let left = unsaid.unordered.filter { $0.slot != slot }
        if left.count < unsaid.count { unsaid = Heap(left) }
    }

    /// Whether a state is not decided, or a crossing is under way.
    var isUndecided: Bool {
        !waiting.isEmpty || !settling.isEmpty || standing.values.contains { $0.run != nil }
    }

    /// - Parameter standing: `nil` for a circle that is outside without fixes on the other side.
    mutating func set(_ standing: CircleStanding?, of slot: InstanceSlot) { self.standing[slot] = standing }

    /// Returns the circles to compare with a fix, in the order of their slots. Distances from the centres are included
    /// where they are already known.
    ///
    /// A circle outside can only be entered by a fix within it, so the grid finds all that matter. Among those, the
    /// ones with the nearest boundaries are compared. The others follow with the next fix, once the first ones are
    /// among those always compared. Unsettled circles are all compared: a first state that missed the first fixes would
    /// be wrong, and would cause an event.
    mutating func circles(
        at place: Coordinate, maxWatched: Int, isSettled: (InstanceSlot) -> Bool
    ) -> [InstanceSlot] {
        var unsettled: [InstanceSlot] = []
        var found: [(beyond_m: Double, slot: InstanceSlot)] = []
        var judged = 0
        grid.forEach(near: place) { entry in
            guard standing[entry.slot] == nil else { return }
            judged += 1
            let beyond_m = entry.circle.center.nearDistance_m(to: place) - entry.circle.radius_m
            guard beyond_m <= 0 else { return }
            if isSettled(entry.slot) { found.append((beyond_m, entry.slot)) } else { unsettled.append(entry.slot) }
        }
        if found.count > maxWatched {
            found.sort { ($0.beyond_m, $0.slot.index) < ($1.beyond_m, $1.slot.index) }
        }
        let slots = (found.prefix(maxWatched).map(\.slot) + unsettled + standing.keys).sorted { $0.index < $1.index }
        judgedCount += judged + slots.count
        return slots
    }

    /// Takes the accuracy of a used fix.
    ///
    /// - Returns: the circles that turn out to be smaller than twice the usual accuracy, each once, and that accuracy.
    mutating func take(_ accuracy_m: Double) -> (tooSmall: [RegistrationSlot], usual_m: Double)? {
        guard let usual_m = accuracies.add(accuracy_m) else { return nil }
        var tooSmall: [RegistrationSlot] = []
        while let smallest = unsaid.min, smallest.radius_m < 2 * usual_m {
            unsaid.removeMin()
            tooSmall.append(smallest.registration)
        }
        return tooSmall.isEmpty ? nil : (tooSmall, usual_m)
    }
}

/// The usual accuracy of fixes: the median of the last 100.
struct RecentAccuracies: Sendable {
    private static let capacity = 100
    /// The least fixes for a median, and the number of new ones between two medians.
    private static let step = 20

    private var recent_m: [Double] = []
    private var next = 0
    private var newCount = 0

    /// Takes the accuracy of a fix.
    ///
    /// - Returns: the median, each time that enough fixes are new. Metres.
    mutating func add(_ accuracy_m: Double) -> Double? {
        if recent_m.count < Self.capacity {
            recent_m.append(accuracy_m)
        } else {
            recent_m[next] = accuracy_m
            next = (next + 1) % Self.capacity
        }
        newCount += 1
        guard newCount == Self.step else { return nil }
        newCount = 0
        return recent_m.sorted()[recent_m.count / 2]
    }
}
