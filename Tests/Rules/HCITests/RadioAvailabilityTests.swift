import Testing

@testable import Core

@Suite("Availability of the radio")
struct RadioAvailabilityTests {
    @Test("The published words are the contract's")
    func words() {
        #expect(
            RadioAvailability.allCases.map(\.rawValue) == [
                "absent", "unauthorized", "blocked", "off", "stalled", "unusable", "scanning",
            ])
    }

    @Test("Every condition but scanning has a remedy of one line", arguments: RadioAvailability.allCases)
    func remedies(availability: RadioAvailability) {
        #expect(availability.remedy.isEmpty == (availability == .scanning))
        #expect(!availability.remedy.contains("\n"))
    }
}
