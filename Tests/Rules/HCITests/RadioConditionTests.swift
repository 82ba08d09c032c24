import Testing

@testable import Core

@Suite("The radio's remedies for an installer")
struct RadioConditionTests {
    @Test(
        "Every remedy is one line, with and without CAP_NET_ADMIN; scanning needs none",
        arguments: RadioAvailability.allCases, [true, false])
    func oneLine(availability: RadioAvailability, mayAdminister: Bool) {
        let remedy = RadioCondition(availability, mayAdminister: mayAdminister).remedy
        #expect(remedy.isEmpty == (availability == .scanning))
        #expect(!remedy.contains("\n"))
    }

    @Test(
        "If CAP_NET_ADMIN would let the agent help itself, the remedy names it",
        arguments: [RadioAvailability.off, .stalled])
    func namesTheCapability(availability: RadioAvailability) {
        #expect(RadioCondition(availability, mayAdminister: false).remedy.contains("CAP_NET_ADMIN"))
        #expect(!RadioCondition(availability, mayAdminister: true).remedy.contains("CAP_NET_ADMIN"))
    }
}
