import Testing

@testable import Core

@Suite("The standard service")
struct StandardServiceTests {
    private var service = StandardService(
        .init(
            distanceFilter_m: 10, headingFilter_deg: 5, minInterval: .seconds(1), maxInterval: .seconds(300),
            maxAge: .seconds(15)))

    @Test("The first fix is an update")
    mutating func first() throws {
        let fix = try fix(0)
        #expect(service.use(fix, at: at(0)) == fix)
    }

    @Test("A movement by distance_filter_m from the last published place is an update, a smaller one is none")
    mutating func moved() throws {
        _ = service.use(try fix(0), at: at(0))
        #expect(service.use(try fix(2, north_m: 6), at: at(2)) == nil)
        #expect(service.use(try fix(4, north_m: 9.9), at: at(4)) == nil)
        #expect(service.use(try fix(6, north_m: 10.1), at: at(6)) != nil)
        #expect(service.use(try fix(8, north_m: 19.9), at: at(8)) == nil)
        #expect(service.use(try fix(10, north_m: 0), at: at(10)) != nil)
    }

    @Test("An accuracy that halves is an update, one that gets worse is none")
    mutating func accuracyHalves() throws {
        _ = service.use(try fix(0, accuracy_m: 20), at: at(0))
        #expect(service.use(try fix(2, accuracy_m: 10.1), at: at(2)) == nil)
        #expect(service.use(try fix(4, accuracy_m: 60), at: at(4)) == nil)
        #expect(service.use(try fix(6, accuracy_m: 10), at: at(6)) != nil)
    }

    @Test("A turn by heading_filter_deg is an update, also across north")
    mutating func turns() throws {
        _ = service.use(try fix(0, speed_m_s: 1, course_deg: 358), at: at(0))
        #expect(service.use(try fix(2, speed_m_s: 1, course_deg: 2.9), at: at(2)) == nil)
        #expect(service.use(try fix(4, speed_m_s: 1, course_deg: 3), at: at(4)) != nil)
    }

    @Test("After an update at rest, a turn is measured from the first course")
    mutating func turnsAfterAStop() throws {
        _ = service.use(try fix(0, speed_m_s: 0), at: at(0))
        #expect(service.use(try fix(2, speed_m_s: 1, course_deg: 90), at: at(2)) == nil)
        #expect(service.use(try fix(4, speed_m_s: 1, course_deg: 94), at: at(4)) == nil)
        #expect(service.use(try fix(6, speed_m_s: 1, course_deg: 96), at: at(6)) != nil)
        #expect(service.use(try fix(8, speed_m_s: 1, course_deg: 100), at: at(8)) == nil)
    }

    @Test("The compass counts before the course")
    mutating func compass() throws {
        _ = service.use(try fix(0, speed_m_s: 1, course_deg: 10, heading_deg: 50), at: at(0))
        #expect(service.use(try fix(2, speed_m_s: 1, course_deg: 90, heading_deg: 50), at: at(2)) == nil)
        #expect(service.use(try fix(4, speed_m_s: 1, course_deg: 90, heading_deg: 56), at: at(4)) != nil)
    }

    @Test("A compass that turns while the gateway stands is no update")
    mutating func turnsStanding() throws {
        _ = service.use(try fix(0, speed_m_s: 0, heading_deg: 0), at: at(0))
        #expect(service.use(try fix(2, speed_m_s: 0.2, heading_deg: 180), at: at(2)) == nil)
    }

    @Test("After max_interval_s an update tells that it is still here, with the last fix")
    mutating func stillHere() throws {
        _ = service.use(try fix(0), at: at(0))
        let last = try fix(290, north_m: 1)
        #expect(service.use(last, at: at(290)) == nil)
        #expect(service.deadline == at(300))
        #expect(service.advance(to: at(299.9)) == nil)
        #expect(service.advance(to: at(300)) == last)
        #expect(service.deadline == .distantFuture)
    }

    @Test("Without a fix no such update is published, until the next fix comes")
    mutating func silence() throws {
        _ = service.use(try fix(0), at: at(0))
        #expect(service.use(try fix(280), at: at(280)) == nil)
        #expect(service.deadline == .distantFuture)
        #expect(service.advance(to: at(300)) == nil)
        #expect(service.use(try fix(1_000), at: at(1_000)) != nil)
    }

    @Test("News within min_interval_s waits for its end, and the latest is published")
    mutating func minInterval() throws {
        _ = service.use(try fix(0), at: at(0))
        #expect(service.use(try fix(0.2, north_m: 20), at: at(0.2)) == nil)
        #expect(service.use(try fix(0.4, north_m: 40), at: at(0.4)) == nil)
        #expect(service.deadline == at(1))
        #expect(service.advance(to: at(1)) == (try fix(0.4, north_m: 40)))
    }

    @Test("News that has become obsolete at the end of min_interval_s is not published")
    mutating func newsThatPasses() throws {
        _ = service.use(try fix(0), at: at(0))
        #expect(service.use(try fix(0.2, north_m: 20), at: at(0.2)) == nil)
        #expect(service.use(try fix(0.4), at: at(0.4)) == nil)
        #expect(service.advance(to: at(1)) == nil)
    }

    @Test("No update is published before the first fix")
    mutating func nothing() {
        #expect(service.deadline == .distantFuture)
        #expect(service.advance(to: at(1_000)) == nil)
    }
}
