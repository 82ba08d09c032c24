/// A circle as the operator registers it: an id, a centre and a radius.
///
/// Core Location's `CLCircularRegion`: the gateway itself crosses its boundary.
package struct CircularRegion: Hashable, Sendable {
    /// The largest radius; larger ones are clamped. Beyond it, the Earth's curvature and the grid of circles would need
    /// other rules. Metres.
    static let maxRadius_m = 100_000.0

    /// The id chosen by the operator: one MQTT topic level, unique.
    var id: String
    var circle: Circle
    /// True if entries make events. The state changes in any case.
    var notifyOnEntry: Bool = true
    /// True if exits make events. The state changes in any case.
    var notifyOnExit: Bool = true
    var rules: CircleRules

    /// Returns whether a record belongs to this region: whether its circle is this one. A region with this id and
    /// another centre or radius is another region, whose record does not apply.
    func canRestore(_ record: RegionRecord) -> Bool {
        record.instance == RegionInstanceID(region: id) && record.kind == .circle(of: circle)
    }
}

struct CircleRules: Hashable, Sendable {
    /// The least blindness that counts: fixes come a second apart.
    static let leastUnknownStateAfter = TimeSpan.seconds(2)

    /// The least distance beyond the boundary at which a fix counts. Metres.
    var cushion_m: Double
    /// The time for which fixes have to stay there.
    var crossingAfter: TimeSpan
    /// The time without a fix, while the receiver listens, after which the state is `unknown`. A longer gap between two
    /// fixes does not count towards a crossing. At least 2 s.
    let unknownStateAfter: TimeSpan

    init(cushion_m: Double, crossingAfter: TimeSpan, unknownStateAfter: TimeSpan) {
        self.cushion_m = cushion_m
        self.crossingAfter = crossingAfter
        self.unknownStateAfter = max(unknownStateAfter, Self.leastUnknownStateAfter)
    }
}

/// The position of a fix relative to a circle's boundary, seen from the side on which the gateway was last known to be.
enum BoundaryVerdict: Hashable, Sendable {
    /// Beyond the boundary by the cushion: the gateway may have crossed.
    case beyond
    /// Beyond the boundary by the region's own cushion, but by less than the fix's accuracy. It proves neither side.
    case doubtful
    /// Not beyond the boundary by the cushion.
    case within
}

extension CircularRegion {
    /// Compares a fix with the boundary. The cushion keeps a gateway on the boundary from crossing it all day. It is
    /// `cushion_m`, or the accuracy of the fix where that is larger. Inward it is at most half of the radius; otherwise
    /// a small circle could not be entered.
    ///
    /// - Parameter distance_m: the distance of the fix from the centre.
    func verdict(distance_m: Double, horizontalAccuracy_m: Double, wasInside: Bool) -> BoundaryVerdict {
        let beyond_m = wasInside ? distance_m - circle.radius_m : circle.radius_m - distance_m
        let most_m = wasInside ? Double.infinity : circle.radius_m / 2
        if beyond_m >= min(max(rules.cushion_m, horizontalAccuracy_m), most_m) { return .beyond }
        return beyond_m >= min(rules.cushion_m, most_m) ? .doubtful : .within
    }
}

/// A circle on the ellipsoid: all places within the radius of its centre.
package struct Circle: Hashable, Sendable {
    var center: Coordinate
    /// Metres.
    var radius_m: Double
}

/// A circle, and the gateway's distance from its centre.
package struct CircleObservation: Hashable, Sendable {
    var circle: Circle
    /// The distance from the centre, metres; `nil` where no fix gave it.
    var distance_m: Double?
}

/// The state of a circle that each fix is compared with, beside that of `RegionInstance`.
struct CircleProgress: Hashable, Sendable {
    /// Consecutive fixes on the other side of the boundary.
    struct Run: Hashable, Sendable {
        var beganAt: Instant
        var time: FixTime
        var fixCount = 1

        init(at now: Instant, longestGap: TimeSpan) {
            beganAt = now
            time = FixTime(from: now, longestGap: longestGap)
        }

        /// Returns whether the run is a crossing. It needs two fixes, however short `crossing_after_s` is: a single one
        /// may be an outlier.
        func isCrossing(after span: TimeSpan) -> Bool { fixCount >= 2 && time.elapsed >= span }
    }

    var run: Run?
    /// The result of the first fixes; `nil` where none was inside.
    var first: FirstFixes?
    /// True if its state is to be announced again, and only the run delays that.
    var isOverdue = false

    /// The number and the first time of fixes inside since registration, until the first state is decided.
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

/// Circles that began to wait for their state at one fix, by the same rules.
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

    /// True if fixes have come for long enough.
    var isOver: Bool { time.elapsed >= crossingAfter }

    mutating func use(at now: Instant) {
        time.use(at: now)
        fixCount += 1
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
