import Testing

@testable import Core
@testable import beacond

@Suite("Opening hours are two times of a day, the first before the second")
struct OpeningHoursTests {
    @Test("Opening hours are read as they are written", arguments: ["08:00-20:00", "00:00-24:00", "09:05-09:06"])
    func written(text: String) throws {
        #expect(try #require(OpeningHours(argument: text)).description == text)
    }

    @Test("A day's times count from its beginning")
    func hours() throws {
        let hours = try #require(OpeningHours(argument: "08:30-20:00")).hours
        #expect(hours == TimeSpan.seconds(30_600)..<TimeSpan.seconds(72_000))
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "-", "08:00", "08:00-", "-20:00", "20:00-08:00", "08:00-08:00", "8:00-20:00", "08:60-20:00",
            "00:00-24:01", "08:00-20:00-22:00",
            "+8:00-20:00", "０8:00-20:00", "08-20",
        ])
    func refused(text: String) {
        #expect(OpeningHours(argument: text) == nil)
    }
}
