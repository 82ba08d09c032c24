import Testing

@testable import Core

@Suite("A filter that takes over from the former address of its beacon")
struct TakeOverTests {
    @Test(
        "The result is that of one filter that heard both: as if the address had never changed",
        arguments: FilterKind.allCases)
    func continuesThePredecessor(kind: FilterKind) {
        for seed in 0..<60 {
            for scale in scales {
                let settings = FilterSettings(kind: kind, timeConstant_s: [1, 2.5, 20][seed % 3])
                let former = irregularReadings(1 + seed % 40, seed: seed)
                let gap_s = [0.01, 0.5, 3, 30][seed % 4]
                let own = irregularReadings(1 + seed % 7, seed: seed + 1_000, from_s: (former.last?.at_s ?? 0) + gap_s)
                let later = irregularReadings(3, seed: seed + 2_000, from_s: own.last?.at_s ?? 0)

                var predecessor = SignalFilter(settings, scale: scale)
                predecessor.add(former)
                var newcomer = SignalFilter(settings, scale: scale)
                newcomer.add(own)
                newcomer.takeOver(predecessor)

                var single = SignalFilter(settings, scale: scale)
                single.add(former + own)
                #expect(abs((newcomer.value_dbm ?? .nan) - (single.value_dbm ?? .nan)) < 1e-5)
                newcomer.add(later)
                single.add(later)
                #expect(abs((newcomer.value_dbm ?? .nan) - (single.value_dbm ?? .nan)) < 1e-5)
            }
        }
    }

    @Test("The take-over is exact over a chain of rotations", arguments: FilterKind.allCases)
    func continuesThroughAChain(kind: FilterKind) {
        let readings = irregularReadings(400, seed: 5)
        var single = SignalFilter(kind, 20)
        single.add(readings)

        var current = SignalFilter(kind, 20)
        for start in stride(from: 0, to: 400, by: 50) {
            var newcomer = SignalFilter(kind, 20)
            newcomer.add(readings[start..<start + 4])
            newcomer.takeOver(current)
            newcomer.add(readings[start + 4..<start + 50])
            current = newcomer
        }
        #expect(abs((current.value_dbm ?? .nan) - (single.value_dbm ?? .nan)) < 1e-6)
    }

    @Test("A newcomer without readings becomes the predecessor", arguments: FilterKind.allCases)
    func emptyNewcomer(kind: FilterKind) {
        var predecessor = SignalFilter(kind, 5)
        predecessor.add(irregularReadings(20, seed: 3))
        var newcomer = SignalFilter(kind, 5)
        newcomer.takeOver(predecessor)
        #expect(newcomer.value_dbm == predecessor.value_dbm)
    }

    @Test("A predecessor without readings changes nothing", arguments: FilterKind.allCases)
    func nothingToTakeOver(kind: FilterKind) {
        var newcomer = SignalFilter(kind, 5)
        newcomer.add(irregularReadings(20, seed: 3))
        let value = newcomer.value_dbm
        newcomer.takeOver(SignalFilter(kind, 5))
        #expect(newcomer.value_dbm == value)
    }
}
