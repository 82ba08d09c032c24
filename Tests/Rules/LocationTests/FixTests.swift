import Testing

@testable import Core

@Suite("Reports of a receiver")
struct FixTests {
    private func report(
        mode: Int = 3, at: WallTime? = time(0), latitude: Double? = 52.5, longitude: Double? = 13.4
    ) -> FixReport {
        FixReport(mode: mode, at: at, latitude: latitude, longitude: longitude, horizontalAccuracy_m: 5, altitude_m: 34)
    }

    @Test("A mode below 2 is no fix, with any other fields", arguments: [-1, 0, 1])
    func noFix(mode: Int) {
        #expect(throws: FixRejection.noFix) { try report(mode: mode).fix() }
    }

    @Test("A mode of 2 has no altitude, one of 3 has")
    func altitude() throws {
        #expect(try report(mode: 2).fix().altitude_m == nil)
        #expect(try report(mode: 3).fix().altitude_m == 34)
    }

    @Test("A fix without a time or a place is malformed")
    func incomplete() {
        for incomplete in [report(at: nil), report(latitude: nil), report(longitude: nil)] {
            #expect(throws: FixRejection.malformed) { try incomplete.fix() }
        }
    }

    @Test(
        "A place outside the Earth, or that is not a number, is out of range",
        arguments: [(90.000_1, 0), (-91, 0), (0, 180.000_1), (0, -181), (.nan, 0), (0, .nan), (.infinity, 0)])
    func outside(latitude: Double, longitude: Double) {
        #expect(throws: FixRejection.outOfRange) { try report(latitude: latitude, longitude: longitude).fix() }
    }

    @Test("The ends of the ranges are on the Earth", arguments: [(90.0, 0.0), (-90, 0), (0, 180), (0, -180)])
    func ends(latitude: Double, longitude: Double) throws {
        #expect(try report(latitude: latitude, longitude: longitude).fix().coordinate.latitude == latitude)
    }

    @Test("A speed below 0, and NaN, is left out")
    func impossible() throws {
        let fix = Fix(
            at: time(0), coordinate: try place(), horizontalAccuracy_m: 5, altitude_m: .nan, speed_m_s: -1,
            course_deg: .infinity, heading_deg: .nan)
        #expect(fix.altitude_m == nil)
        #expect(fix.speed_m_s == nil)
        #expect(fix.course_deg == nil)
        #expect(fix.heading_deg == nil)
    }

    @Test("Directions are 0 to less than 360", arguments: [(360, 0), (-90, 270), (725, 5), (-1e-300, 0)])
    func directions(said: Double, meant: Double) throws {
        #expect(try fix(0, heading_deg: said).heading_deg == meant)
    }

    @Test("A standing gateway has no course, and keeps the heading of its compass")
    func courseOnlyWhileMoving() throws {
        let standing = try fix(0, speed_m_s: 0.4, course_deg: 90, heading_deg: 120)
        #expect(standing.course_deg == nil)
        #expect(standing.heading_deg == 120)
        #expect(try fix(0, speed_m_s: 0.5, course_deg: 90).course_deg == 90)
    }

    @Test("The gateway moves by its speed, and without a speed if it has a course")
    func moving() throws {
        #expect(try fix(0, speed_m_s: 0.5).isMoving)
        #expect(try !fix(0, speed_m_s: 0.49, course_deg: 90).isMoving)
        #expect(try fix(0, course_deg: 90).isMoving)
        #expect(try !fix(0, heading_deg: 90).isMoving)
    }
}

@Suite("From gpsd's errors to an accuracy")
struct ReportedAccuracyTests {
    @Test("eph is 95 %, an accuracy 68 %: it is smaller by 1.621")
    func eph() {
        #expect(abs(ReportedAccuracy.horizontal_m(eph: 16.21, epx: 3, epy: 4) - 10) < 1e-9)
    }

    @Test("Without eph it comes from epx and epy together")
    func parts() {
        #expect(abs(ReportedAccuracy.horizontal_m(eph: nil, epx: 3, epy: 4) - 5 / 1.621) < 1e-9)
    }

    @Test("Without any, or with one part alone, it is 100 m")
    func unknown() {
        #expect(ReportedAccuracy.horizontal_m(eph: nil) == 100)
        #expect(ReportedAccuracy.horizontal_m(eph: nil, epx: 3) == 100)
        #expect(ReportedAccuracy.horizontal_m(eph: nil, epy: 3) == 100)
    }

    @Test("An error that is not above 0 counts as missing", arguments: [0, -5, .nan, .infinity])
    func noRadius(eph: Double) throws {
        #expect(ReportedAccuracy.horizontal_m(eph: eph) == 100)
        #expect(ReportedAccuracy.horizontal_m(eph: nil, epx: eph, epy: 4) == 100)
        #expect(try fix(0, accuracy_m: eph).horizontalAccuracy_m == 100)
    }
}
