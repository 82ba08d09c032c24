import Testing

@testable import Agent
@testable import Core

@Suite("gpsd's lines, one after another")
struct GPSDDecoderTests {
    private var decoder = GPSDDecoder()

    /// Returns the heading of the fix of a receiver's TPV line, so many seconds after the start.
    private mutating func heading(of device: String, at seconds: Double) -> Double? {
        let line = "{\"class\":\"TPV\",\"device\":\"\(device)\",\"mode\":3}"
        guard case .fix(let fix)? = try? decoder.read(Array(line.utf8), at: .origin + .seconds(seconds)) else {
            return nil
        }
        return fix.report.heading_deg
    }

    private mutating func compass(_ heading_deg: Double?, of device: String, at seconds: Double) throws {
        let heading = heading_deg.map { ",\"heading\":\($0)" } ?? ""
        let line = "{\"class\":\"ATT\",\"device\":\"\(device)\"\(heading)}"
        _ = try decoder.read(Array(line.utf8), at: .origin + .seconds(seconds))
    }

    @Test("A receiver's next fix has the heading of its compass, and later ones have none")
    mutating func once() throws {
        try compass(96, of: "a", at: 1)
        #expect(heading(of: "a", at: 1.1) == 96)
        #expect(heading(of: "a", at: 1.2) == nil)
    }

    @Test("The compass of one receiver does not count for another")
    mutating func another() throws {
        try compass(96, of: "a", at: 1)
        #expect(heading(of: "b", at: 1.1) == nil)
        #expect(heading(of: "a", at: 1.2) == 96)
    }

    @Test("A heading counts for two seconds")
    mutating func old() throws {
        try compass(96, of: "a", at: 1)
        #expect(heading(of: "a", at: 3.001) == nil)
        try compass(96, of: "a", at: 10)
        #expect(heading(of: "a", at: 12) == 96)
    }

    @Test("The last heading counts, and so does the news that there is none any more")
    mutating func last() throws {
        try compass(96, of: "a", at: 1)
        try compass(97, of: "a", at: 1.5)
        #expect(heading(of: "a", at: 2) == 97)
        try compass(98, of: "a", at: 3)
        try compass(nil, of: "a", at: 3.1)
        #expect(heading(of: "a", at: 3.2) == nil)
    }

    @Test("With more compasses than possible receivers, the oldest is forgotten")
    mutating func many() throws {
        for number in 0...GPSDMessage.maxDevices { try compass(7, of: "\(number)", at: 1) }
        #expect(heading(of: "0", at: 1) == nil)
        #expect(heading(of: "1", at: 1) == 7)
    }

    @Test("A real gpsd 3.22's account of a ride is read to its end")
    mutating func recorded() throws {
        var fixes: [FixReport] = []
        var malformed = 0
        for line in try Recorded.ride().split(separator: UInt8(ascii: "\n")) {
            do {
                if case .fix(let fix) = try decoder.read(line, at: .origin) { fixes.append(fix.report) }
            } catch {
                malformed += 1
            }
        }
        #expect(malformed == 0)
        // gpsd sends reports before it knows the time, which are no fixes yet.
        let used = fixes.compactMap { try? $0.fix() }
        #expect(used.count == fixes.count - 2)
        let last = try #require(used.last)
        #expect(last.coordinate == Coordinate(latitude: 52.5174, longitude: 13.3777))
        #expect((last.horizontalAccuracy_m * 1_000).rounded() == 12_893)
        #expect(last.heading_deg == 101)
        #expect(last.course_deg == 0.5)
        #expect(last.altitude_m == 34.5)
    }
}
