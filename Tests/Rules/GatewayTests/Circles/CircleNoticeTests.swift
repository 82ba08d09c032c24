import Testing

@testable import Core

@Suite("The operator gets each notice about a circle once")
struct CircleNoticeTests {
    @Test("A radius above 100 km is clamped, with a notice")
    func clamped() throws {
        var drive = Drive([Drive.depot(radius_m: 150_000), Drive.depot("ok", radius_m: 100_000)])
        #expect(drive.notices == [RegionMonitoringNotice(region: "depot", cause: .radiusClamped(from_m: 150_000))])
        #expect(
            try #require(drive.notices.first).description
                == "region \"depot\": its radius of 150000 m is clamped to 100000 m, the largest that is monitored")
        drive.stay(0...20, north_m: 120_000)
        #expect(drive.states.suffix(2) == ["outside depot 20.0", "outside ok 20.0"])
        #expect(drive.transitions.last?.circle?.circle.radius_m == 100_000)
    }

    @Test("A radius below twice the usual accuracy gets one warning")
    func tooSmall() {
        var drive = Drive([Drive.depot("small", radius_m: 50), Drive.depot("large", radius_m: 70)])
        drive.stay(0...300, north_m: 0, accuracy_m: 30)
        #expect(
            drive.notices == [
                RegionMonitoringNotice(region: "small", cause: .radiusTooSmall(radius_m: 50, usual_m: 30))
            ])
    }

    @Test("The usual accuracy is the median: a few poor fixes do not count")
    func median() {
        var drive = Drive([Drive.depot(radius_m: 50)])
        for second in 0...300 {
            drive.fix(Double(second), at: Drive.gate, accuracy_m: second % 3 == 0 ? 200 : 5)
        }
        #expect(drive.notices.isEmpty)
    }
}
