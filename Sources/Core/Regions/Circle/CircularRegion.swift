/// A circle as the operator registers it: a name, a place and how far around it.
///
/// Core Location's `CLCircularRegion`: what crosses its boundary is the gateway itself.
package struct CircularRegion: Hashable, Sendable {
    /// A larger radius is clamped: there the Earth's curvature and the grid that finds circles would need other rules. Metres.
    static let maxRadius_m = 100_000.0

    /// The operator's own name: one MQTT topic level, unique.
    var id: String
    var circle: Circle
    /// Whether entries make events; the state goes on regardless.
    var notifyOnEntry: Bool
    /// Whether exits make events.
    var notifyOnExit: Bool
    var rules: CircleRules

    init(
        id: String, circle: Circle, notifyOnEntry: Bool = true, notifyOnExit: Bool = true, rules: CircleRules
    ) {
        self.id = id
        self.circle = circle
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.rules = rules
    }

    /// Whether a record is this region's: of the same circle. Under the same id with another centre or radius it is another
    /// region, of which nothing is known.
    func canRestore(_ record: RegionRecord) -> Bool {
        record.instance == RegionInstanceID(region: id) && record.kind == .circle(of: circle)
    }
}

/// When a circle is entered and left.
struct CircleRules: Hashable, Sendable {
    /// A blindness that is shorter than this says nothing: fixes come a second apart.
    static let leastUnknownStateAfter = TimeSpan.seconds(2)

    /// How far beyond the boundary a fix has to be, at least. Metres.
    var cushion_m: Double
    /// How long it has to stay there.
    var crossingAfter: TimeSpan
    /// How long the receiver may listen without a fix before the state is `unknown`. A gap between two fixes that is longer
    /// does not count towards a crossing. At least 2 s.
    let unknownStateAfter: TimeSpan

    init(cushion_m: Double, crossingAfter: TimeSpan, unknownStateAfter: TimeSpan) {
        self.cushion_m = cushion_m
        self.crossingAfter = crossingAfter
        self.unknownStateAfter = max(unknownStateAfter, Self.leastUnknownStateAfter)
    }
}

/// How a fix lies to the boundary of a circle that the gateway was last known to be on one side of.
enum BoundaryVerdict: Hashable, Sendable {
    /// Beyond it by the cushion: the gateway may have crossed.
    case beyond
    /// Beyond it by the region's own cushion, but not by as much as the fix may be wrong. It proves neither side.
    case doubtful
    /// Not beyond it by the cushion.
    case within
}

extension CircularRegion {
    /// The cushion keeps who stands on the boundary from crossing it all day: `cushion_m`, or what the fix may be wrong by where
    /// that is more. Inward it is half of the radius at most, or nobody could enter a small circle.
    ///
    /// - Parameter distance_m: of the fix from the centre.
    func verdict(distance_m: Double, horizontalAccuracy_m: Double, wasInside: Bool) -> BoundaryVerdict {
        let beyond_m = wasInside ? distance_m - circle.radius_m : circle.radius_m - distance_m
        let most_m = wasInside ? Double.infinity : circle.radius_m / 2
        if beyond_m >= min(max(rules.cushion_m, horizontalAccuracy_m), most_m) { return .beyond }
        return beyond_m >= min(rules.cushion_m, most_m) ? .doubtful : .within
    }
}

/// A circle on the ellipsoid: all places that are no further from its centre than its radius.
package struct Circle: Hashable, Sendable {
    var center: Coordinate
    /// Metres.
    var radius_m: Double

    package init(center: Coordinate, radius_m: Double) {
        self.center = center
        self.radius_m = radius_m
    }
}

/// A circle, and how far from its centre the gateway was.
package struct CircleObservation: Hashable, Sendable {
    var circle: Circle
    /// From the centre, metres; `nil` where no fix said it.
    var distance_m: Double?

    init(_ circle: Circle, distance_m: Double?) {
        self.circle = circle
        self.distance_m = distance_m
    }
}

/// How a circle stands that each fix is judged against, beside what every `RegionInstance` knows.
struct CircleStanding: Hashable, Sendable {
    /// Fixes on the other side of the boundary, one after the other.
    struct Run: Hashable, Sendable {
        var beganAt: Instant
        var time: FixTime
        var fixCount = 1

        init(at now: Instant, longestGap: TimeSpan) {
            beganAt = now
            time = FixTime(from: now, longestGap: longestGap)
        }

        /// A crossing needs two fixes, however short `crossing_after_s` is: one alone may be wild.
        func isCrossing(after span: TimeSpan) -> Bool { fixCount >= 2 && time.elapsed >= span }
    }

    var run: Run?
    /// What the first fixes said; `nil` where none was inside.
    var first: FirstFixes?
    /// Its state is to be told again and only the run keeps that waiting.
    var isOverdue = false

    /// The fixes since registration that were inside, until the first state is decided.
    struct FirstFixes: Hashable, Sendable {
        var insideCount = 0
        var insideSince: Instant
        var lastInsideAt: Instant
    }

    mutating func isInside(at now: Instant) {
        var first = first ?? FirstFixes(insideSince: now, lastInsideAt: now)
        first.insideCount += 1
        first.lastInsideAt = now
        self.first = first
    }
}

/// Circles that began to wait for their state at the same fix, by the same rules.
struct SettlingCircles: Sendable {
    let crossingAfter: TimeSpan
    var members: [InstanceSlot]
    private(set) var time: FixTime
    private(set) var fixCount = 1

    init(_ rules: CircleRules, at now: Instant) {
        crossingAfter = rules.crossingAfter
        members = []
        time = FixTime(from: now, longestGap: rules.unknownStateAfter)
    }

    /// Whether there have been fixes for long enough.
    var isOver: Bool { time.elapsed >= crossingAfter }

    mutating func use(at now: Instant) {
        time.use(at: now)
        fixCount += 1
    }
}
