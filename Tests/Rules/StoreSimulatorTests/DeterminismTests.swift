import Testing

@testable import Core

@Suite("A simulation is decided by its scenario and its seed")
struct DeterminismTests {
    private let scenario = StoreScenario.crowd(seed: 3, duration: .seconds(60))

    @Test("Equal scenarios and seeds give equal packets")
    func sameSeed() {
        #expect(StoreSimulation.packets(of: scenario, seed: 7) == StoreSimulation.packets(of: scenario, seed: 7))
        #expect(StoreScenario.crowd(seed: 3, duration: .seconds(60)) == scenario)
    }

    @Test("Another seed gives other packets and another shop")
    func otherSeed() {
        #expect(StoreSimulation.packets(of: scenario, seed: 7) != StoreSimulation.packets(of: scenario, seed: 8))
        #expect(StoreScenario.crowd(seed: 4, duration: .seconds(60)) != scenario)
    }

    @Test("A later actor does not change the packets of the others")
    func independentActors() {
        var fuller = scenario
        fuller.actors.append(resting(at: 2))
        let others = StoreSimulation.packets(of: fuller, seed: 7).filter { $0.actor < scenario.actors.count }
        #expect(others == StoreSimulation.packets(of: scenario, seed: 7))
    }

    @Test("The shop of seed 1 always begins alike")
    func pinned() {
        let first = StoreSimulation.packets(of: .firstRun(seed: 1, duration: .seconds(12)), seed: 1).prefix(3)
        #expect(first.map(\.at.microseconds) == [684_747, 740_911, 1_104_370])
        #expect(first.map(\.report.rssi_dbm) == [-70, -92, -68])
    }
}
