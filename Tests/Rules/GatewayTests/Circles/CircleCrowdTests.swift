import Testing

@testable import Core

@Suite("Many circles cost a fix no more than few")
struct CircleCrowdTests {
    private let rules = CircleRules(cushion_m: 20, crossingAfter: .seconds(20), unknownStateAfter: .seconds(60))

    /// Returns circles of 100 m, 300 m apart, in a square grid.
    private func town(_ side: Int) throws -> (RegionMonitor, EvidenceSourceID, [RegionTransition]) {
        var monitor = RegionMonitor(
            limits: RegionLimits(maxRegions: side * side, maxInstances: 1, maxWatchedCircles: 20))
        var transitions: [RegionTransition] = []
        var notices: [RegionMonitoringNotice] = []
        let receiver = monitor.addSource(canProbe: false)
        for row in 0..<side {
            for column in 0..<side {
                let region = CircularRegion(
                    id: "\(row)-\(column)", circle: Circle(center: try place(row, column), radius_m: 100), rules: rules)
                try monitor.register(
                    .circle(region), perceivedBy: receiver, at: .origin, transitions: &transitions, notices: &notices)
            }
        }
        return (monitor, receiver, transitions)
    }

    private func place(_ row: Int, _ column: Int, north_m: Double = 0) throws -> Coordinate {
        try #require(
            Coordinate(
                latitude: 48 + (Double(row) * 300 + north_m) / 111_200, longitude: 11 + Double(column) * 300 / 74_500))
    }

    /// Drives through the middle of the town, from circle to circle.
    private func judged(_ side: Int) throws -> (largest: Int, states: [RegionState: Int], events: Int) {
        var (monitor, receiver, transitions) = try town(side)
        var notices: [RegionMonitoringNotice] = []
        var largest = 0
        for second in 0..<120 {
            let north_m = Double(second) * 10
            let fix = Fix(
                at: .unixEpoch + .seconds(second), coordinate: try place(side / 2, side / 2, north_m: north_m),
                horizontalAccuracy_m: 5)
            let before = monitor.kinds.circles.judgedCount
            monitor.use(
                fix, from: receiver, at: .origin + .seconds(second), transitions: &transitions, notices: &notices)
            largest = max(largest, monitor.kinds.circles.judgedCount - before)
        }
        let published = transitions.filter { $0.at == .origin + .seconds(20) }
        return (
            largest, Dictionary(grouping: published, by: \.state).mapValues(\.count),
            transitions.count { $0.event != nil }
        )
    }

    @Test("A fix is compared with as few circles with 100,000 registered as with 20, and each has its state")
    func hundredThousand() throws {
        let few = try judged(5)
        let many = try judged(317)
        #expect(many.largest <= few.largest + 4)
        #expect(many.largest <= 20)
        #expect(many.states == [.inside: 1, .outside: 317 * 317 - 1])
        #expect(many.events >= 1)
    }

    @Test("A fix enters max_watched circles with the nearest boundaries first, and the others with the next fixes")
    func maxWatched() {
        let circles = (1...9).map { Drive.depot("\($0)", radius_m: 100 + Double($0)) }
        var drive = Drive(circles, maxWatched: 4)
        drive.stay(0...20, north_m: 500)
        drive.stay(30...60, north_m: 0)
        #expect(
            drive.events == [
                "enter 6 50.0", "enter 7 50.0", "enter 8 50.0", "enter 9 50.0", "enter 2 51.0", "enter 3 51.0",
                "enter 4 51.0", "enter 5 51.0", "enter 1 52.0",
            ])
    }

    @Test("A jump misses no exit, however many circles are nearer")
    func jump() throws {
        var circles = [Drive.depot("left")]
        for number in 1...100 {
            circles.append(Drive.depot("\(number)", center: Drive.north(50_000), radius_m: 200))
        }
        var drive = Drive(circles, maxWatched: 1)
        drive.stay(0...20, north_m: 0)
        drive.stay(21...41, north_m: 50_000)
        #expect(drive.events.contains("exit left 41.0"))
    }

    @Test("max_regions refuses the newcomer; max_instances limits only beacons")
    func limits() {
        var drive = Drive([Drive.depot("a"), Drive.depot("b"), Drive.depot("c")]) { settings in
            settings.regions.limits.maxRegions = 2
            settings.regions.limits.maxInstances = 1
        }
        drive.stay(0...20, north_m: 0)
        let failures = drive.outputs.compactMap { output -> RegionMonitoringFailure? in
            if case .failure(let failure, at: _) = output { failure } else { nil }
        }
        #expect(failures == [RegionMonitoringFailure(region: "c", cause: .tooManyRegions(limit: 2))])
        #expect(drive.states.suffix(2) == ["inside a 20.0", "inside b 20.0"])
    }
}
