import Testing

@testable import Core
@testable import beacond

@Suite("The pace at which settings are taken")
struct SettingsPaceTests {
    @Test(
        "After twenty changes in a row one is taken in 30 s, so that a flood of right settings does not stop the agent")
    func pace() {
        let pace = SettingsPace()
        let start = Instant.origin + .seconds(1_000)
        #expect((0..<50).map { _ in pace.take(at: start) }.filter(\.self).count == 20)
        let later = (0..<600).filter { pace.take(at: start + .seconds($0)) }
        #expect(later == Array(stride(from: 30, to: 600, by: 30)))
    }
}
