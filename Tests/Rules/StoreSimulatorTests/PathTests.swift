import Testing

@testable import Core

@Suite("A path is straight lines between waypoints")
struct PathTests {
    private static let start = FloorPoint(x_m: 0, y_m: 0)

    @Test("Walking takes distance over speed, and staying takes its span")
    func duration() {
        var path = ActorPath(from: Self.start, at: .origin + .seconds(5))
        path.walk(to: FloorPoint(x_m: 3, y_m: 4), speed_m_s: 2)
        path.stay(.seconds(1))
        #expect(path.start == .origin + .seconds(5))
        #expect(path.end == .origin + .seconds(8.5))
    }

    @Test("Half-way in time is half-way in space, and outside its time it is at its ends")
    func interpolation() {
        var path = ActorPath(from: Self.start, at: .origin + .seconds(1))
        path.walk(to: FloorPoint(x_m: 4, y_m: 0), speed_m_s: 1)
        #expect(path.position(at: .origin + .seconds(3)) == FloorPoint(x_m: 2, y_m: 0))
        #expect(path.position(at: .origin) == Self.start)
        #expect(path.position(at: .origin + .seconds(60)) == FloorPoint(x_m: 4, y_m: 0))
    }

    @Test("Without a speed it arrives at once", arguments: [0, -1, Double.nan])
    func noSpeed(speed_m_s: Double) {
        var path = ActorPath(from: Self.start, at: .origin)
        path.walk(to: FloorPoint(x_m: 4, y_m: 0), speed_m_s: speed_m_s)
        #expect(path.end == .origin)
        #expect(path.position(at: .origin) == FloorPoint(x_m: 4, y_m: 0))
    }
}
