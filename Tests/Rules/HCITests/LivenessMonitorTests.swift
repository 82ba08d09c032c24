import Testing

@testable import Core

@Suite("Liveness of the radio")
struct LivenessMonitorTests {
    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    /// Returns a monitor that has heard a report every `gap` seconds from `start` on.
    private func monitor(canProbe: Bool = true, from start: Double = 0, every gap: Double, count: Int)
        -> LivenessMonitor
    {
        var monitor = LivenessMonitor(canProbe: canProbe, at: at(start))
        for index in 0..<count { _ = monitor.reportReceived(at: at(start + Double(index) * gap)) }
        return monitor
    }

    @Test("A radio is blind until scanning starts")
    func blindAtFirst() {
        var monitor = LivenessMonitor(canProbe: true, at: at(3))
        #expect(monitor.liveness == .blind(since: at(3)))
        #expect(monitor.resumed(at: at(4)) == .live)
        #expect(monitor.liveness == .live)
    }

    @Test("In dense traffic 2.5 s of silence cause a probe, and 5 s without an answer make the radio suspect")
    func suspectAfterFiveSeconds() {
        var monitor = monitor(every: 0.01, count: 101)
        #expect(monitor.nextDeadline == at(3.5))
        #expect(monitor.tick(at: at(3.499)) == .init())
        #expect(monitor.tick(at: at(3.5)) == .init(probes: true))
        #expect(monitor.liveness == .live)
        #expect(monitor.nextDeadline == at(6))
        #expect(monitor.tick(at: at(6)) == .init(announcement: .suspect(since: at(1))))
        #expect(monitor.tick(at: at(7)) == .init(), "A suspicion is announced once.")
    }

    @Test("In dense traffic a controller whose probe fails after two seconds is blind within five of the last report")
    func blindWithinFiveSeconds() {
        var monitor = monitor(every: 0.1, count: 31)
        let probed = monitor.nextDeadline
        #expect(monitor.tick(at: probed).probes)
        #expect(monitor.probeFailed(at: probed + .seconds(2)) == .blind(since: at(3)))
        #expect(probed + .seconds(2) - at(3) < .seconds(5))
    }

    @Test("The owner may have it probed at any time, but one probe at a time")
    func asked() {
        var monitor = monitor(every: 0.1, count: 31)
        #expect(monitor.ask(at: at(3.6)) == true)
        #expect(monitor.ask(at: at(3.7)) == false)
        #expect(monitor.probeAnswered(at: at(3.7)) == nil)
        #expect(monitor.ask(at: at(10)) == true, "It is asked again in quiet air.")
        #expect(monitor.ask(at: at(10)) == false)
        #expect(monitor.tick(at: at(60)) == .init(), "The background probe waits for the answer too.")
        #expect(monitor.probeFailed(at: at(12)) == .blind(since: at(3.7)))
        #expect(monitor.ask(at: at(12)) == false, "It is known to be blind, and probed in its own rhythm.")
    }

    @Test("Without a controller no probe is possible")
    func nothingToAsk() {
        var monitor = monitor(canProbe: false, every: 0.1, count: 31)
        #expect(monitor.ask(at: at(4)) == false)
        #expect(monitor.nextDeadline == at(8))
    }

    @Test("Scanning that begins again during a probe is watched as usual")
    func resumedWhileAsked() {
        var monitor = monitor(every: 0.1, count: 11)
        _ = monitor.tick(at: at(3.5))
        _ = monitor.probeAnswered(at: at(3.6))
        #expect(monitor.ask(at: at(10)) == true)
        #expect(monitor.resumed(at: at(11)) == nil)
        #expect(monitor.nextDeadline == at(13.5))
    }

    @Test("Where reports are rare, ten median gaps of silence cause no probe, and twenty are normal")
    func normFollowsTheMedianGap() {
        var monitor = monitor(every: 1, count: 11)
        #expect(monitor.tick(at: at(15)) == .init())
        #expect(monitor.nextDeadline == at(20))
        #expect(monitor.tick(at: at(19.9)) == .init())
        #expect(monitor.tick(at: at(20)) == .init(probes: true))
        #expect(monitor.tick(at: at(29.9)) == .init())
        #expect(monitor.tick(at: at(30)).announcement == .suspect(since: at(10)))
    }

    @Test("One long gap does not change the norm")
    func oneLongGapIsNoNorm() {
        var monitor = monitor(every: 0.1, count: 20)
        _ = monitor.reportReceived(at: at(6))
        #expect(monitor.tick(at: at(11)).probes)
    }

    @Test("A report ends the suspicion")
    func reportEndsSuspicion() {
        var monitor = monitor(every: 0.1, count: 20)
        _ = monitor.tick(at: at(5))
        #expect(monitor.tick(at: at(10)).announcement == .suspect(since: at(1.9)))
        #expect(monitor.reportReceived(at: at(10.5)) == .live)
        #expect(monitor.reportReceived(at: at(10.6)) == nil)
        #expect(monitor.probeFailed(at: at(12)) == nil, "Reports came after the probe began.")
    }

    @Test("An answer proves quiet air, and the probe is repeated at long intervals without new suspicion")
    func quietAir() {
        var monitor = monitor(every: 0.1, count: 11)
        _ = monitor.tick(at: at(6))
        #expect(monitor.probeAnswered(at: at(6.1)) == nil, "It was never suspected.")
        #expect(monitor.nextDeadline == at(36.1))
        #expect(monitor.tick(at: at(36.1)) == .init(announcement: nil, probes: true))
        #expect(monitor.tick(at: at(37)) == .init(), "One probe at a time.")
        #expect(monitor.probeAnswered(at: at(37)) == nil)
        #expect(monitor.liveness == .live)
        #expect(monitor.nextDeadline == at(67))
    }

    @Test("No answer means blind since the last report, and the probe is repeated, less and less often")
    func blindWithoutAnswer() {
        var monitor = monitor(every: 0.1, count: 11)
        _ = monitor.tick(at: at(6))
        #expect(monitor.probeFailed(at: at(8)) == .blind(since: at(1)))
        var (now, waits) = (8.0, [Double]())
        for _ in 0..<6 {
            let next = monitor.nextDeadline
            waits.append((next - at(now)).seconds)
            #expect(monitor.tick(at: next).probes)
            now = next.microseconds.seconds + 2
            #expect(monitor.probeFailed(at: at(now)) == nil, "Blindness is announced once.")
        }
        #expect(waits == [2, 4, 8, 16, 30, 30])
        #expect(monitor.probeAnswered(at: at(now)) == .live)
    }

    @Test("A radio found dead in quiet air has been blind since its last answer")
    func blindSinceLastAnswer() {
        var monitor = monitor(every: 0.1, count: 11)
        _ = monitor.tick(at: at(6))
        _ = monitor.probeAnswered(at: at(6.1))
        _ = monitor.tick(at: at(36.1))
        #expect(monitor.probeFailed(at: at(38.1)) == .blind(since: at(6.1)))
    }

    @Test("A report ends blindness without an answer")
    func reportEndsBlindness() {
        var monitor = monitor(every: 0.1, count: 11)
        _ = monitor.tick(at: at(6))
        _ = monitor.probeFailed(at: at(8))
        #expect(monitor.reportReceived(at: at(9)) == .live)
    }

    @Test("An adapter that goes makes the radio blind at once, since the last report, without a probe")
    func interruption() {
        var monitor = monitor(every: 0.1, count: 11)
        #expect(monitor.interrupted(at: at(1.5)) == .blind(since: at(1)))
        #expect(monitor.interrupted(at: at(2)) == nil)
        #expect(monitor.nextDeadline == .distantFuture)
        #expect(monitor.probeAnswered(at: at(3)) == nil)
        #expect(monitor.resumed(at: at(60)) == .live)
        #expect(monitor.nextDeadline == at(62.5))
    }

    @Test("An opened adapter that does not answer is probed again")
    func deadFromTheStart() {
        var monitor = LivenessMonitor(canProbe: true, at: at(0))
        #expect(monitor.probeFailed(at: at(2)) == nil, "It was blind before.")
        #expect(monitor.nextDeadline == at(4))
        #expect(monitor.tick(at: at(4)) == .init(probes: true))
    }

    @Test("A gap that spans an outage does not count towards the norm")
    func outageIsNoGap() {
        var monitor = monitor(every: 0.1, count: 4)
        for outage in 1...20 {
            _ = monitor.interrupted(at: at(Double(outage) * 100))
            _ = monitor.resumed(at: at(Double(outage) * 100 + 50))
            _ = monitor.reportReceived(at: at(Double(outage) * 100 + 51))
            _ = monitor.reportReceived(at: at(Double(outage) * 100 + 51.1))
        }
        #expect(monitor.tick(at: at(2056.1)).probes)
    }

    @Test("In a replay, silence beyond the norm is blindness, and slow air sets the norm")
    func replay() {
        var monitor = LivenessMonitor(canProbe: false, at: .origin)
        #expect(monitor.reportReceived(at: at(0)) == .live)
        #expect(monitor.tick(at: at(5)) == .init(announcement: .blind(since: at(0)), probes: false))
        #expect(monitor.nextDeadline == .distantFuture)
        for report in 1...4 { _ = monitor.reportReceived(at: at(Double(report) * 8)) }
        #expect(monitor.tick(at: at(40)) == .init())
        #expect(monitor.nextDeadline == at(32 + 160))
    }
}

extension Int64 {
    fileprivate var seconds: Double { Double(self) / 1_000_000 }
}
