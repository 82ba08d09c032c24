import Testing

@testable import Core

@Suite("Days and hours of a time zone")
struct LocalTimeTests {
    /// A zone whose clocks are set forward in spring and back in autumn of 2026, by its offset in winter and the changes in seconds since 1970.
    private func zone(_ winter_s: Int, spring_s: Int64, autumn_s: Int64, by step_s: Int = 3_600) -> LocalTime {
        LocalTime(name: "") { $0 >= spring_s && $0 < autumn_s ? winter_s + step_s : winter_s }
    }

    private var berlin: LocalTime { zone(3_600, spring_s: 1_774_746_000, autumn_s: 1_792_890_000) }

    private func time(_ text: String) throws -> WallTime { try #require(Timestamp.time(text)) }

    private func bounds(_ day: LocalDay) -> [String] { [day.name, Timestamp.text(day.from), Timestamp.text(day.to)] }

    @Test("A day runs from midnight to midnight of its zone")
    func ordinary() throws {
        let day = berlin.day(at: try time("2026-11-23T22:59:59.999Z"))
        #expect(bounds(day) == ["2026-11-23", "2026-11-22T23:00:00.000Z", "2026-11-23T23:00:00.000Z"])
        #expect(day.hours.count == 24)
        #expect(berlin.day(at: try time("2026-11-23T23:00:00.000Z")).name == "2026-11-24")
    }

    @Test("A time belongs to the hour that it falls into")
    func hours() throws {
        let day = berlin.day(at: try time("2026-11-23T12:00:00.000Z"))
        #expect(day.hour(of: try time("2026-11-22T23:00:00.000Z")) == 0)
        #expect(day.hour(of: try time("2026-11-23T08:59:59.999Z")) == 9)
        #expect(day.hour(of: try time("2026-11-23T22:59:59.999Z")) == 23)
        #expect(day.hour(of: try time("2026-11-23T23:00:00.000Z")) == nil)
        #expect(day.hour(of: try time("2026-11-22T22:59:59.999Z")) == nil)
    }

    @Test("The day on which clocks are set forward has 23 hours")
    func spring() throws {
        let day = berlin.day(at: try time("2026-03-29T12:00:00.000Z"))
        #expect(bounds(day) == ["2026-03-29", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"])
        #expect(day.hours.count == 23)
    }

    @Test("The day on which clocks are set back has 25 hours")
    func autumn() throws {
        let day = berlin.day(at: try time("2026-10-25T22:30:00.000Z"))
        #expect(bounds(day) == ["2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"])
        #expect(day.hours.count == 25)
        #expect(day.hour(of: try time("2026-10-25T22:30:00.000Z")) == 24)
    }

    @Test("A zone half an hour beside the others has hours of its own")
    func halfHour() throws {
        let kolkata = LocalTime(name: "Asia/Kolkata") { _ in 19_800 }
        let day = kolkata.day(at: try time("2026-11-23T12:00:00.000Z"))
        #expect(bounds(day) == ["2026-11-23", "2026-11-22T18:30:00.000Z", "2026-11-23T18:30:00.000Z"])
        #expect(day.hours.count == 24)
    }

    @Test("A change of half an hour makes the last hour half as long")
    func halfChange() throws {
        // Lord Howe Island: from UTC+11 to UTC+10:30 on 5 April 2026, at 02:00.
        let island = LocalTime(name: "") { $0 < 1_775_314_800 ? 39_600 : 37_800 }
        let day = island.day(at: try time("2026-04-05T00:00:00.000Z"))
        #expect(bounds(day) == ["2026-04-05", "2026-04-04T13:00:00.000Z", "2026-04-05T13:30:00.000Z"])
        #expect(day.hours.count == 25)
        #expect(day.end(ofHour: 24) - day.hours[24] == .seconds(1_800))
    }

    @Test("Where clocks skip midnight, the day begins an hour later")
    func noMidnight() throws {
        // Cairo: at 00:00 on 24 April 2026 it is 01:00.
        let cairo = LocalTime(name: "") { $0 < 1_776_981_600 ? 7_200 : 10_800 }
        let day = cairo.day(at: try time("2026-04-24T12:00:00.000Z"))
        #expect(bounds(day) == ["2026-04-24", "2026-04-23T22:00:00.000Z", "2026-04-24T21:00:00.000Z"])
        #expect(day.hours.count == 23)
    }

    @Test("A day is found by its number, as by any time in it", arguments: [-43_200, -12_600, 0, 20_700, 50_400])
    func byNumber(offset_s: Int) {
        let zone = LocalTime(name: "") { _ in offset_s }
        for number in [Int64(-1), 0, 20_780] {
            let day = zone.day(number: number)
            #expect(day.number == number && day.hours.count == 24)
            #expect(zone.day(at: day.from) == day && zone.day(at: day.to).number == number + 1)
        }
    }

    @Test("A clock beyond all times has days too", arguments: [Int64.min, -1, Int64.max])
    func anyTime(microseconds: Int64) {
        #expect(!berlin.day(at: WallTime(microseconds: microseconds)).hours.isEmpty)
    }
}
