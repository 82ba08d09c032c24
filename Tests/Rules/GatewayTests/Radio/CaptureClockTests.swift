import TestAir
import Testing

@testable import Core

@Suite("A capture's clock may be set during the capture: timers continue")
struct CaptureClockTests {
    /// Plays events at the capture's times, in the given order.
    private func play(_ records: [(t_s: Double, air: Air)]) -> [GatewayOutput] {
        var outputs: [GatewayOutput] = []
        var player = CapturePlayer(.door(), restoring: [], at: Story.startTime, outputs: &outputs)
        for (t_s, air) in records {
            for transmission in air.inOrder {
                player.receive(
                    transmission.event.span, at: Story.startTime + .seconds(t_s + transmission.t_s),
                    outputs: &outputs)
            }
        }
        player.advance(through: player.clock.now, outputs: &outputs)
        return outputs
    }

    private func crossings(_ outputs: [GatewayOutput]) -> [String] {
        outputs.transitions.compactMap { $0.eventLine(since: Story.start)?.replacing("door ", with: "") }
    }

    private func shop(beacon: Bool, end_s: Double) -> Air {
        var air = Air(othersUntil_s: end_s)
        if beacon { air.beacon(.beacon(), from: .fixed(1), start_s: 0, end_s: end_s) }
        return air
    }

    @Test("Set back by less than an hour, no time is lost: the beacon that leaves afterwards exits exit_after_s later")
    func setBack() {
        let outputs = play([
            (t_s: 0, air: shop(beacon: true, end_s: 10)), (t_s: -3500, air: shop(beacon: true, end_s: 10)),
            (t_s: -3490, air: shop(beacon: false, end_s: 60)),
        ])
        #expect(crossings(outputs) == ["enter 0.0", "exit 40.0"])
    }

    @Test("A capture from before 1970 gives the usual events")
    func beforeUnix() {
        let shop = shop(beacon: true, end_s: 30)
        let since1970_s = Double(Story.startTime.microseconds) / 1_000_000
        func kinds(_ outputs: [GatewayOutput]) -> [String] {
            crossings(outputs).map { String($0.prefix { $0 != " " }) }
        }
        let usual = kinds(play([(0, shop), (60, self.shop(beacon: false, end_s: 60))]))
        #expect(usual.count > 1)
        let early = -since1970_s - 86_400
        #expect(kinds(play([(early, shop), (early + 60, self.shop(beacon: false, end_s: 60))])) == usual)
    }

    @Test("Later events have the time of the capture's clock")
    func timebaseAfterSetBack() {
        var outputs: [GatewayOutput] = []
        var player = CapturePlayer(.door(), restoring: [], at: Story.startTime, outputs: &outputs)
        let event = Air.metaEvent([])
        player.receive(event.span, at: Story.startTime + .seconds(100), outputs: &outputs)
        #expect(player.clock.timebase.wall(player.clock.now) == Story.startTime + .seconds(100))
        #expect(player.clock.isSetBack(Story.startTime))
        player.receive(event.span, at: Story.startTime, outputs: &outputs)
        #expect(player.clock.now == Story.start + .seconds(100))
        #expect(player.clock.timebase.wall(player.clock.now) == Story.startTime)
        player.receive(event.span, at: Story.startTime + .seconds(5), outputs: &outputs)
        #expect(player.clock.now == Story.start + .seconds(105))
    }

    @Test("Records a little out of order do not move the clock")
    func disorder() {
        var outputs: [GatewayOutput] = []
        var player = CapturePlayer(.door(), restoring: [], at: Story.startTime, outputs: &outputs)
        for t_s in [10, 9.5, 10.5, 9.8, 11] {
            player.receive(Air.metaEvent([]).span, at: Story.startTime + .seconds(t_s), outputs: &outputs)
        }
        #expect(player.clock.now == Story.start + .seconds(11))
    }

    @Test(
        "A step of more than an hour, forward or back, ends stays at their last reports, and is not covered",
        arguments: [7_776_000.0, -7_776_000])
    func breakOfTheRecording(step_s: Double) throws {
        let outputs = play([
            (t_s: 0, air: shop(beacon: true, end_s: 10)), (t_s: step_s, air: shop(beacon: true, end_s: 10)),
        ])
        let resumed_s = step_s > 0 ? step_s : 10 + TimeSpan.recordingStep.seconds
        #expect(crossings(outputs) == ["enter 0.0", "exit 30.0", "enter \(Story.tenths(resumed_s))"])
        #expect(outputs.radios == ["stalled 10", "replay \(Int(resumed_s))"])
    }

    @Test("A jump by decades ends quickly: the state becomes unknown, and nothing is ranged meanwhile")
    func jumpForward() {
        let decades_s = 60 * 365.25 * 86_400
        let outputs = play([
            (t_s: 0, air: shop(beacon: true, end_s: 10)), (t_s: decades_s, air: shop(beacon: true, end_s: 10)),
        ])
        #expect(crossings(outputs).map { $0.prefix(5) } == ["enter", "exit ", "enter"])
        #expect(outputs.count < 500)
    }

    @Test("A record may have any time", arguments: [Int64.min, -1, 0, .max / 2, .max])
    func extremes(microseconds: Int64) {
        var outputs: [GatewayOutput] = []
        var player = CapturePlayer(.door(), restoring: [], at: Story.startTime, outputs: &outputs)
        let event = shop(beacon: true, end_s: 0).inOrder[1].event
        for time in [Story.startTime, WallTime(microseconds: microseconds), Story.startTime, .unixEpoch] {
            for step in 0..<5 { player.receive(event.span, at: time + .seconds(Double(step) * 7), outputs: &outputs) }
        }
        player.advance(through: player.clock.now, outputs: &outputs)
        var late = CapturePlayer(.door(), restoring: [], at: WallTime(microseconds: microseconds), outputs: &outputs)
        for step in 0..<50 {
            let time = WallTime(microseconds: microseconds) + .seconds(Double(step))
            late.receive(event.span, at: time, outputs: &outputs)
        }
        #expect(late.engine.figures.beacons == 50)
    }

    /// The radio's conditions of a capture whose reports come every second in these spans of seconds.
    private func conditions(_ spans: [Range<Int>], beacon: Bool = true, until_s: Double) -> [String] {
        var outputs: [GatewayOutput] = []
        var player = CapturePlayer(.door(), restoring: [], at: Story.startTime, outputs: &outputs)
        let event = shop(beacon: beacon, end_s: 0).inOrder[beacon ? 1 : 0].event
        for second in spans.joined() {
            player.receive(event.span, at: Story.startTime + .seconds(second), outputs: &outputs)
        }
        player.advance(through: Story.start + .seconds(until_s), outputs: &outputs)
        return outputs.radios
    }

    @Test("A hole of a minute or more is published as blindness, from the last report to the next one")
    func hole() {
        #expect(conditions([0..<100, 7_000..<7_010], until_s: 7_010) == ["stalled 99", "replay 7000"])
        #expect(conditions([0..<100], until_s: 200) == ["stalled 99"])
    }

    @Test(
        "A shorter hole is published from the last report on where it holds back an exit, and not where the beacon is heard before that"
    )
    func holeWithABeaconInside() {
        #expect(conditions([0..<100, 150..<300], until_s: 300) == ["stalled 99", "replay 150"])
        #expect(conditions([0..<100, 115..<300], until_s: 300) == [])
    }

    @Test("A shorter hole without a beacon inside is not published, and neither is a capture without any report")
    func shortHole() {
        #expect(conditions([0..<100, 150..<300], beacon: false, until_s: 300) == [])
        #expect(conditions([], until_s: 86_400) == [])
    }
}
