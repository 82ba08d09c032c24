import Testing

@testable import Core

@Suite("Automatic pauses")
struct AutomaticPauseTests {
    private var pause = AutomaticPause(activity: .other, longestGap: .seconds(60))

    /// A fix a second while the receiver is on; the times of pausing and going on.
    private mutating func ride(
        _ span: Range<Int>, accuracy_m: Double = 5, north_m: (Double) -> Double
    ) throws -> [(at: Int, change: AutomaticPause.Change)] {
        var changes: [(at: Int, change: AutomaticPause.Change)] = []
        for second in span {
            let now = Double(second)
            pause.advance(to: at(now))
            guard pause.receiverIsNeeded else { continue }
            let fix = try fix(now, north_m: north_m(now), accuracy_m: accuracy_m)
            if let change = pause.use(fix, at: at(now)) { changes.append((second, change)) }
        }
        return changes
    }

    @Test(
        "A standing gateway pauses after the activity's time: 5 minutes, automotive 2, pedestrian 10",
        arguments: [(Activity.other, 300), (.automotive, 120), (.pedestrian, 600)])
    mutating func pauses(activity: Activity, after: Int) throws {
        pause = AutomaticPause(activity: activity, longestGap: .seconds(60))
        let changes = try ride(0..<1_000) { _ in 0 }
        #expect(changes.map(\.at) == [after])
        #expect(changes.first?.change == .paused)
        #expect(pause.isPaused)
    }

    @Test("Wandering within the accuracy is standing")
    mutating func wandering() throws {
        // The place comes to lie in the middle of the zigzag.
        #expect(try ride(0..<301) { Int($0) % 2 == 0 ? 0 : 9 }.map(\.at) == [300])
    }

    @Test("A slow walk is movement, however slow the steps are")
    mutating func slowWalk() throws {
        #expect(try ride(0..<1_200) { $0 * 0.1 }.isEmpty)
    }

    @Test("One over-confident fix 200 m away is no movement")
    mutating func outlier() throws {
        #expect(try ride(0..<301) { $0 == 150 ? 200 : 0 }.map(\.at) == [300])
        #expect(try ride(301..<900) { $0 == 361 ? 200 : 0 }.isEmpty)
    }

    @Test("While paused, it looks every minute until the first fix")
    mutating func looks() throws {
        _ = try ride(0..<301) { _ in 0 }
        #expect(pause.deadline == at(360))
        #expect(!pause.receiverIsNeeded)
        pause.advance(to: at(360))
        #expect(pause.receiverIsNeeded)
        #expect(pause.use(try fix(365), at: at(365)) == nil)
        #expect(pause.deadline == at(425))
    }

    @Test("A look without a fix ends after 30 s, and the next one comes a minute later")
    mutating func lookWithoutFix() throws {
        _ = try ride(0..<301) { _ in 0 }
        pause.advance(to: at(360))
        pause.advance(to: at(390))
        #expect(!pause.receiverIsNeeded)
        #expect(pause.isPaused)
        #expect(pause.deadline == at(450))
    }

    @Test("At the first movement it goes on, and pauses again where it stops")
    mutating func goesOn() throws {
        let changes = try ride(0..<2_000) { min(max(0, $0 - 1_000), 200) * 10 }
        #expect(changes.map(\.change) == [.paused, .resumed, .paused])
        #expect(changes.first?.at == 300)
        let resumed = try #require(changes.dropFirst().first)
        #expect((1_001...1_062).contains(resumed.at))
        let again = try #require(changes.last)
        #expect((1_495...1_505).contains(again.at))
    }

    @Test("Only time with fixes counts as standing: an hour's tunnel does not")
    mutating func tunnel() throws {
        #expect(try ride(0..<200) { _ in 0 }.isEmpty)
        #expect(try ride(3_800..<4_100) { _ in 0 }.map(\.at) == [3_901])
    }

    @Test("A gateway stands at the antimeridian as anywhere else")
    mutating func antimeridian() throws {
        var changes: [AutomaticPause.Change] = []
        for second in 0...300 {
            let longitude = second % 2 == 0 ? 179.999_99 : -179.999_99
            let coordinate = try #require(Coordinate(latitude: -17, longitude: longitude))
            let fix = Fix(at: time(Double(second)), coordinate: coordinate, horizontalAccuracy_m: 5)
            if let change = pause.use(fix, at: at(Double(second))) { changes.append(change) }
        }
        #expect(changes == [.paused])
    }
}
