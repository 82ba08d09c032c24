import RealModule
import TestAir
import Testing

@testable import Core

@Suite("Fading and loss equal those of the recordings")
struct RadioTests {
    private func strengths(_ actor: Actor, scanner: Scanner = .continuous, seed: UInt64 = 1) -> [Double] {
        StoreSimulation.packets(of: floor([actor], scanner: scanner), seed: seed).map {
            Double($0.report.rssi_dbm ?? 127)
        }
    }

    /// Ten minutes at 100 ms and 5 ms of delay on average.
    private let sent = 600 / 0.105

    @Test("A scanner that always listens hears 79 to 91 % of a strong beacon")
    func strongReception() {
        let heard = Double(strengths(resting(at: 1.5)).count) / sent
        #expect((0.79...0.91).contains(heard))
    }

    @Test("A scanner that listens for 30 ms of every 60 ms hears half of that")
    func dutyCycle() {
        let share =
            Double(strengths(resting(at: 1.5), scanner: Scanner()).count) / Double(strengths(resting(at: 1.5)).count)
        #expect((0.47...0.53).contains(share))
    }

    @Test("A beacon around the sensitivity is heard in part, and one far below never")
    func weakReception() {
        let weak = (1...20).map { Double(strengths(resting(at: 28), seed: $0).count) / sent }
        #expect((0.25...0.65).contains(mean(weak)))
        #expect(strengths(resting(at: 1_500)).isEmpty)
    }

    @Test(
        "Events come after the interval and 0 to 10 ms",
        arguments: [TimeSpan.milliseconds(100), .seconds(1), .seconds(5)])
    func advertisingDelay(interval: TimeSpan) {
        let times = StoreSimulation.packets(of: floor([resting(at: 1, interval: interval)])).map(\.at)
        let gaps = zip(times, times.dropFirst()).map { ($1 - $0).microseconds }
        let shortest = interval.microseconds
        #expect(gaps.holdForAll { $0 >= shortest })
        let single = gaps.filter { $0 < 2 * shortest }
        #expect(single.holdForAll { $0 <= shortest + 10_000 })
        #expect(Double(single.count) > 0.75 * Double(gaps.count))
    }

    @Test("At rest every channel is constant but for receiver noise, and the channels differ")
    func restingChannels() throws {
        // rooms: 0.6 to 0.9 dB on one channel; up to 6 dB between channels.
        var still = Propagation()
        still.environmentCoherence_s = .infinity
        let scanner = Scanner.continuous
        var levels: [Double] = []
        for seed in 1...20 as ClosedRange<UInt64> {
            var channels: [Int64: [Double]] = [:]
            for packet in StoreSimulation.packets(of: floor([resting(at: 2)], propagation: still), seed: seed) {
                let channel = packet.at.microseconds / scanner.interval.microseconds % 3
                channels[channel, default: []].append(Double(try #require(packet.report.rssi_dbm)))
            }
            for channel in channels.values where channel.count > 100 {
                #expect((0.5...1.0).contains(deviation(channel)))
            }
            levels.append(deviation(channels.values.map(mean)))
        }
        #expect((1.5...5).contains(mean(levels)))
    }

    @Test(
        "On a walk RSSI scatters by 5.5 dB; two thirds of the variance are fast, the rest lasts for seconds")
    func walkingScatter() {
        // danis, without each receiver's own offset: 5.5 dB; correlation 0.34 after 0.45 s, 0.19 after 3 s, 0.02 after
        // 20 s.
        var (scatter, soon, later, late): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for seed in 1...12 as ClosedRange<UInt64> {
            let actor = circling(interval: .milliseconds(450))
            let residuals = StoreSimulation.packets(of: floor([actor]), seed: seed).map { packet in
                let distance_m = max(0.1, actor.path.position(at: packet.at).distance_m(to: FloorPoint(x_m: 0, y_m: 0)))
                return Double(packet.report.rssi_dbm ?? 0) + 59 + 20 * Double.log10(distance_m)
            }
            func lag(_ count: Int) -> Double {
                correlation(Array(residuals.dropLast(count)), Array(residuals.dropFirst(count)))
            }
            scatter.append(deviation(residuals))
            soon.append(lag(1))
            later.append(lag(6))
            late.append(lag(40))
        }
        #expect((5...6).contains(mean(scatter)))
        #expect((0.26...0.42).contains(mean(soon)))
        #expect((0.11...0.27).contains(mean(later)))
        #expect(abs(mean(late)) < 0.15)
    }

    @Test("A body in between costs its loss of 5 dB, or a little less because the weakest go unheard")
    func bodyLoss() {
        var sheltered = Propagation()
        sheltered.shadowing_db = 0
        let actor = pacing()
        var (towards, away): ([Double], [Double]) = ([], [])
        for packet in StoreSimulation.packets(of: floor([actor], propagation: sheltered)) {
            let now = actor.path.position(at: packet.at).y_m
            let next = actor.path.position(at: packet.at + .milliseconds(1)).y_m
            let rssi_dbm = Double(packet.report.rssi_dbm ?? 0)
            if next < now { towards.append(rssi_dbm) } else { away.append(rssi_dbm) }
        }
        #expect((4...5.5).contains(mean(towards) - mean(away)))
    }
}
