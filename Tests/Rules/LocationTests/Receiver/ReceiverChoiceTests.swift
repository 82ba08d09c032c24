import Testing

@testable import Core

@Suite("The choice among several receivers")
struct ReceiverChoiceTests {
    private var choice = ReceiverChoice(maxAge: .seconds(15))

    private mutating func take(_ device: String, accuracy_m: Double = 5, mode: Int = 3, at seconds: Double) -> Bool {
        let report = FixReport(
            mode: mode, at: .unixEpoch, latitude: 52, longitude: 13, horizontalAccuracy_m: accuracy_m)
        return choice.take(DeviceReport(device: device, report: report), at: .origin + .seconds(seconds))
    }

    @Test("A single receiver is used, with a fix or without")
    mutating func alone() {
        #expect(take("a", mode: 1, at: 0))
        #expect(take("a", at: 1))
        #expect(take("a", mode: 0, at: 100))
        #expect(choice.device == "a")
    }

    @Test("Of two equally good receivers one is used for good")
    mutating func equals() {
        _ = take("a", accuracy_m: 5, at: 0)
        for second in 1...600 {
            let wobble = Double(second % 3)
            #expect(!take("b", accuracy_m: 4 + wobble, at: Double(second)))
            #expect(take("a", accuracy_m: 6 - wobble, at: Double(second) + 0.1))
        }
    }

    @Test("A receiver that is clearly better for 5 s replaces the other")
    mutating func better() {
        for second in 0..<5 {
            _ = take("a", accuracy_m: 20, at: Double(second))
            #expect(!take("b", accuracy_m: 10, at: Double(second) + 0.5))
        }
        #expect(take("b", accuracy_m: 10, at: 5.5))
        #expect(!take("a", accuracy_m: 20, at: 6))
        #expect(choice.device == "b")
    }

    @Test("One fix that is no better restarts the 5 s")
    mutating func interrupted() {
        _ = take("a", accuracy_m: 20, at: 0)
        _ = take("b", accuracy_m: 5, at: 1)
        _ = take("b", accuracy_m: 11, at: 5)
        #expect(!take("b", accuracy_m: 5, at: 6))
        #expect(!take("b", accuracy_m: 5, at: 10.9))
        #expect(take("b", accuracy_m: 5, at: 11))
    }

    @Test("A receiver silent for longer than max_age_s is replaced at once")
    mutating func silent() {
        _ = take("a", at: 0)
        #expect(!take("b", accuracy_m: 90, at: 15))
        #expect(take("b", accuracy_m: 90, at: 15.1))
    }

    @Test("A receiver without a fix is replaced at once, but not by another without one")
    mutating func withoutFix() {
        _ = take("a", at: 0)
        for second in 1...20 { _ = take("a", mode: 1, at: Double(second)) }
        #expect(!take("b", mode: 1, at: 20.5))
        #expect(take("b", at: 21))
    }

    @Test("A receiver that gpsd has lost gives way, even to one without a fix")
    mutating func gone() {
        _ = take("a", at: 0)
        choice.keep { $0 == "b" }
        #expect(choice.device == nil)
        #expect(take("b", mode: 1, at: 1))
    }

    @Test("A place outside the Earth is no fix")
    mutating func outside() {
        _ = take("a", at: 0)
        let report = FixReport(mode: 3, at: .unixEpoch, latitude: 91, longitude: 0, horizontalAccuracy_m: 1)
        let isUsed = choice.take(DeviceReport(device: "b", report: report), at: .origin + .seconds(60))
        #expect(!isUsed)
    }

    @Test("Beyond the limit the receiver silent for longest is forgotten, but never the one in use")
    mutating func limit() {
        _ = take("used", at: 0)
        for number in 0..<100 { #expect(!take("\(number)", at: 1)) }
        #expect(choice.device == "used")
        #expect(take("used", at: 2))
    }
}
