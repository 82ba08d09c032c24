import Testing

@testable import Core

func at(_ seconds: Double) -> Instant { Instant.origin + .seconds(seconds) }

func packet(_ minor: UInt64 = 1, at time_s: Double? = nil) -> ReceivedPacket {
    ReceivedPacket(
        address: DeviceAddress(bits: minor, type: .random), rssi_dbm: -60, data: [2, 1, 6],
        time: time_s.map { wall($0) })
}

/// The time of day at a second of the test.
func wall(_ seconds: Double) -> WallTime { WallTime(microseconds: 1_795_000_000_000_000) + .seconds(seconds) }

/// A stream after so many batches of two packets.
func stream(every period_s: Double, batches: Int = 10) -> ReceiverStream {
    var stream = ReceiverStream(at: at(0))
    for number in 0..<batches {
        _ = stream.receive([packet(1), packet(2)], at: at(Double(number) * period_s), wall: nil)
        stream.passed(stream.horizon(at: at(Double(number) * period_s)))
    }
    return stream
}

extension ReceiverStream {
    /// Takes a message with these packets and no more.
    mutating func receive(_ packets: [ReceivedPacket], at arrival: Instant, wall: WallTime?) -> [Heard] {
        receive(ReceiverMessage(packets: packets), at: arrival, wall: wall) ?? []
    }
}

/// A message of four packets without times, known by its payload.
func message(_ fingerprint: Int, packets: Int = 4, isDated: Bool = false) -> ReceiverMessage {
    var message = ReceiverMessage(packets: (0..<packets).map { packet(UInt64($0)) })
    (message.fingerprint, message.isDated) = (fingerprint, isDated)
    return message
}

/// The availabilities of a receiver whose messages come at these times, looked at ten times a second.
private func availabilities(
    _ times_s: [Double], packets: UInt64 = 2, from stream: ReceiverStream = ReceiverStream(at: at(0))
) -> [RadioAvailability] {
    var (stream, found, times) = (stream, [stream.availability], times_s[...])
    let (first, last) = (times_s.first ?? 0, times_s.last ?? 0)
    for tenth in 0...Int((last - first) * 10) {
        let now = at(first + Double(tenth) / 10)
        while let next = times.first, at(next) <= now {
            _ = stream.advance(to: at(next))
            _ = stream.receive((1...packets).map { packet($0) }, at: at(next), wall: nil)
            times.removeFirst()
            if stream.availability != found.last { found.append(stream.availability) }
        }
        _ = stream.advance(to: now)
        stream.passed(stream.horizon(at: now))
        if stream.availability != found.last { found.append(stream.availability) }
    }
    return found
}

@Suite("A receiver's stream")
struct ReceiverStreamTests {
    @Test("It hears from its first message on; before, the radio is absent")
    func begins() {
        var stream = ReceiverStream(at: at(0))
        #expect(stream.availability == .absent)
        #expect(stream.liveness == .blind(since: at(0)))
        _ = stream.receive([], at: at(5), wall: nil)
        #expect(stream.availability == .scanning)
        #expect(stream.liveness == .live)
    }

    @Test("The period is the usual gap before batches of several packets", arguments: [0.5, 1, 2, 4])
    func period(seconds: Double) {
        #expect(stream(every: seconds).period == .seconds(seconds))
    }

    @Test("Messages within 50 ms are one batch")
    func pieces() {
        var stream = ReceiverStream(at: at(0))
        for number in 0..<10 {
            for piece in 0..<4 {
                let packets = [packet(UInt64(piece)), packet(9)]
                _ = stream.receive(packets, at: at(Double(number) + 0.01 * Double(piece)), wall: nil)
            }
        }
        #expect(stream.period == .seconds(1))
    }

    @Test("Where the period is above 0.4 s, messages within 0.2 s are one batch", arguments: [0.06, 0.15])
    func uploadInTwoMessages(apart_s: Double) {
        var stream = ReceiverStream(at: at(0))
        for number in 0..<20 {
            for piece in 0..<2 {
                let now = at(Double(number) + apart_s * Double(piece))
                // Few packets, and equal by chance.
                let message = message(2 * (number % 3) + piece, packets: 2)
                #expect(stream.receive(message, at: now, wall: nil) != nil)
            }
        }
        #expect(stream.period == .seconds(1))
    }

    @Test("Batches in three parts do not stall it after a while, and the silence between them is no evidence")
    func threeParts() {
        let times = (0..<20).flatMap { number in (0..<3).map { Double(number) * 4 + 0.4 * Double($0) } }
        let found = availabilities(times)
        #expect(found.last == .scanning && found.count { $0 == .stalled } <= 3)
        var stream = ReceiverStream(at: at(0))
        for time in times { _ = stream.receive([packet(1), packet(2)], at: at(time), wall: nil) }
        #expect(stream.horizon(at: at(80)) <= at(76.9))
    }

    @Test("A period below 0.4 s is measured, too")
    func shortPeriod() {
        #expect(stream(every: 0.1).period == .seconds(0.1))
    }

    @Test("Single packets that come at once are no batch: then the receiver publishes packet by packet")
    func coincidence() {
        var stream = ReceiverStream(at: at(0))
        for number in 0..<15 {
            _ = stream.receive([packet(1)], at: at(Double(number)), wall: nil)
            _ = stream.receive([packet(2)], at: at(Double(number) + 0.02), wall: nil)
        }
        #expect(stream.period == nil)
        // One beacon is left, which advertises every 4 s.
        #expect(availabilities((4..<20).map { 4 * Double($0) }, packets: 1, from: stream) == [.scanning])
    }

    @Test("An advertisement with its scan response is one packet")
    func scanResponses() {
        var stream = ReceiverStream(at: at(0))
        var response = packet(1)
        response.isScanResponse = true
        for number in 0..<20 { _ = stream.receive([packet(1), response], at: at(Double(number)), wall: nil) }
        #expect(stream.period == nil)
    }

    @Test("The period is known once half of the messages are batches, and stays known in quiet air")
    func quietAir() {
        var (stream, known) = (ReceiverStream(at: at(0)), [Int]())
        for number in 0..<100 {
            let isFull = 20..<60 ~= number || number % 5 == 0
            _ = stream.receive(isFull ? [packet(1), packet(2)] : [packet(1)], at: at(Double(number)), wall: nil)
            if stream.period != nil { known.append(number) }
        }
        #expect(known == Array((known.first ?? 0)..<100))
        #expect(20..<30 ~= known.first ?? 0)
        #expect(stream.period == .seconds(1))
    }

    @Test("A period of 2 s that jitters has no warning, one of 2.5 s has")
    func warning() {
        #expect(ReceiverStream.warning(.seconds(2.1)) == nil)
        #expect(ReceiverStream.warning(.seconds(2.5))?.hasPrefix("it publishes every 2.5 s") == true)
    }

    @Test("One late batch changes no period")
    func late() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1), packet(2)], at: at(15), wall: nil)
        _ = stream.receive([packet(1), packet(2)], at: at(16), wall: nil)
        #expect(stream.period == .seconds(1))
    }

    @Test(
        "After three usual periods, and 3 s at least, it has stalled since its last message",
        arguments: [(0.5, 3.0), (2, 6)])
    func stalls(period_s: Double, silence_s: Double) {
        var stream = stream(every: period_s)
        let last = at(9 * period_s)
        _ = stream.advance(to: last + .seconds(silence_s - 0.01))
        #expect(stream.availability == .scanning)
        #expect(stream.nextDeadline == last + .seconds(silence_s))
        _ = stream.advance(to: last + .seconds(silence_s))
        #expect(stream.availability == .stalled)
        #expect(stream.liveness == .blind(since: last))
        _ = stream.receive([packet(1, at: 60)], at: last + .seconds(60), wall: nil)
        #expect(stream.availability == .scanning)
    }

    @Test("A receiver without batches has the norm of an adapter")
    func single() {
        var stream = ReceiverStream(at: at(0))
        for number in 0..<20 { _ = stream.receive([packet()], at: at(0.4 * Double(number)), wall: nil) }
        #expect(stream.period == nil)
        #expect(stream.nextDeadline == at(0.4 * 19) + .seconds(8))
    }

    @Test("Heartbeats keep it hearing in quiet air")
    func heartbeats() {
        var stream = stream(every: 1)
        for number in 10..<40 {
            _ = stream.advance(to: at(Double(number)))
            _ = stream.receive([], at: at(Double(number)), wall: nil)
        }
        #expect(stream.liveness == .live)
        #expect(stream.period == .seconds(1))
    }

    @Test("A receiver with heartbeats alone is silent for three of their usual gaps before it has stalled")
    func heartbeatsAlone() {
        var stream = ReceiverStream(at: at(0))
        var found: [RadioAvailability] = []
        for second in 0..<300 {
            if second % 20 == 0 { _ = stream.receive([], at: at(Double(second)), wall: nil) }
            _ = stream.advance(to: at(Double(second)))
            if found.last != stream.availability { found.append(stream.availability) }
        }
        // The first gap alone is longer than the silence that is allowed before any is known.
        #expect(found == [.scanning, .stalled, .scanning])
        _ = stream.advance(to: at(280 + 60))
        #expect(stream.liveness == .blind(since: at(280)))
    }

    @Test("Heartbeats between batches change no norm; after the batches have ended, the next heartbeat brings theirs")
    func heartbeatsAfterBatches() {
        var stream = ReceiverStream(at: at(0))
        for second in 0...100 {
            _ = stream.receive([packet(1), packet(2)], at: at(Double(second)), wall: nil)
            if second % 20 == 0 { _ = stream.receive([], at: at(Double(second) + 0.5), wall: nil) }
        }
        #expect(stream.nextDeadline == at(100.5) + .seconds(3))
        _ = stream.advance(to: at(104))
        #expect(stream.liveness == .blind(since: at(100.5)))
        _ = stream.receive([], at: at(120.5), wall: nil)
        #expect(stream.nextDeadline == at(120.5) + .seconds(60))
        _ = stream.receive([packet(1), packet(2)], at: at(130), wall: nil)
        _ = stream.advance(to: at(130.5))
        #expect(stream.nextDeadline == at(130) + .seconds(3))
    }

    @Test("Above 5 s it is not usable, and its packets count for nothing until it is again")
    func unusable() {
        var stream = stream(every: 6)
        #expect(stream.availability == .unusable)
        #expect(stream.liveness == .blind(since: at(54)))
        #expect(stream.receive([packet(), packet()], at: at(60), wall: nil).isEmpty)
        for number in 1...20 { _ = stream.receive([packet(), packet()], at: at(60 + Double(number)), wall: nil) }
        #expect(stream.availability == .scanning)
        #expect(!stream.receive([packet()], at: at(81), wall: nil).isEmpty)
    }

    @Test("Where the clocks agree, a packet has the receiver's time")
    func receiversTime() {
        var stream = stream(every: 1)
        let heard = stream.receive([packet(1, at: 9.9), packet(2, at: 9.3)], at: at(10), wall: wall(10))
        #expect(heard.map(\.at) == [at(9.3), at(9.9)])
    }

    @Test("A late batch keeps the receiver's times where the clocks agreed before")
    func lateTimes() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 9.9)], at: at(10), wall: wall(10))
        let heard = stream.receive([packet(1, at: 10.2), packet(1, at: 10.9)], at: at(13), wall: wall(13))
        #expect(heard.map(\.at) == [at(10.2), at(10.9)])
    }

    @Test("Where the clocks disagree, the batch ends at its arrival", arguments: [-3_600.0, -2, 5, 86_400])
    func wrongClock(ahead_s: Double) {
        var stream = stream(every: 1)
        let heard = stream.receive(
            [packet(1, at: 9.4 + ahead_s), packet(2, at: 9.9 + ahead_s)], at: at(10), wall: wall(10))
        #expect(heard.map(\.at) == [at(9.5), at(10)])
    }

    @Test("A late batch of a clock that is wrong is dated by the batches that came soonest")
    func lateWrongClock() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 3_609.9)], at: at(10), wall: wall(10))
        let heard = stream.receive([packet(1, at: 3_610.2), packet(1, at: 3_610.9)], at: at(13), wall: wall(13))
        #expect(heard.map(\.at) == [at(10.3), at(11)])
    }

    @Test("A clock that is set back dates batches by their arrival within 15 batches")
    func setBack() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 10)], at: at(10), wall: wall(10))
        for second in 11..<26 {
            _ = stream.receive([packet(1, at: Double(second) - 30)], at: at(Double(second)), wall: nil)
        }
        #expect(
            stream.receive([packet(1, at: -4.5), packet(1, at: -4)], at: at(26), wall: nil).map(\.at) == [
                at(25.5), at(26),
            ])
    }

    @Test("Packets with the time of their batch are spread over the period before it")
    func timeOfBatch() {
        var stream = stream(every: 1)
        var batch = [packet(1, at: 10), packet(1, at: 10)]
        for place in batch.indices { batch[place].isTimeOfBatch = true }
        #expect(stream.receive(batch, at: at(10.1), wall: wall(10.1)).map(\.at) == [at(9.25), at(9.75)])
    }

    @Test("Packets without times are spread over the period, those of each transmitter evenly")
    func spread() {
        var stream = stream(every: 1)
        let heard = stream.receive([packet(1), packet(1), packet(2)], at: at(10), wall: nil)
        #expect(heard.map(\.at) == [at(9.25), at(9.5), at(9.75)])
    }

    @Test("A batch that comes late and the next one do not mix")
    func lateBatch() {
        var stream = stream(every: 1)
        let late = stream.receive([packet(1), packet(1), packet(1)], at: at(10.5), wall: nil)
        let next = stream.receive([packet(3), packet(3), packet(3)], at: at(11), wall: nil)
        #expect(next.map(\.at).allSatisfy { time in late.allSatisfy { $0.at < time } })
        #expect(stream.receive([packet(3), packet(3)], at: at(12), wall: nil).map(\.at) == [at(11.25), at(11.75)])
    }

    @Test("An address that is new in a batch follows a known one that the batch before had lost", arguments: 1...4)
    func newAddressAfterLoss(lost: Int) {
        var stream = stream(every: 1)
        for number in 0..<lost { _ = stream.receive([packet(2)], at: at(10 + Double(number)), wall: nil) }
        let rotated = stream.receive([packet(3), packet(1)], at: at(10 + Double(lost)), wall: nil)
        #expect(rotated.map(\.packet.address.bits) == [1, 3])
        #expect(rotated.first?.at != rotated.last?.at)
    }

    @Test("An address that is new in a batch follows those of the batch before with the same data")
    func newAddress() {
        func packets(_ addresses: [UInt64]) -> [ReceivedPacket] { addresses.map { packet($0) } }
        var stream = stream(every: 1)
        // The address 1 has rotated to 3. The address 2 goes on, with other data.
        var other = packet(2)
        other.data = [2, 1, 4]
        #expect(stream.receive(packets([1]) + [other], at: at(10), wall: nil).map(\.at) == [at(9.5), at(9.5)])
        let rotated = stream.receive(packets([3, 1, 1, 1]) + [other], at: at(11), wall: nil)
        #expect(rotated.map(\.at) == [10.125, 10.375, 10.5, 10.625, 10.875].map(at))
        #expect(rotated.map(\.packet.address.bits) == [1, 1, 2, 1, 3])
        // In the batch after, both of two transmitters are known.
        let both = stream.receive(packets([3, 1]), at: at(12), wall: nil)
        #expect(both.map(\.at) == [at(11.5), at(11.5)])
    }

    @Test("No packet is before one that was handed out, nor after its arrival")
    func order() {
        var stream = stream(every: 1)
        stream.passed(at(9.8))
        let heard = stream.receive([packet(1, at: 9.2), packet(2, at: 10.6)], at: at(10), wall: wall(10))
        #expect(heard.map(\.at) == [at(9.8), at(10)])
    }

    @Test("Time goes on as far as batches reach; without a message, with the clock")
    func horizon() {
        let stream = stream(every: 1)
        #expect(stream.horizon(at: at(9.5)) == at(8.5))
        #expect(stream.horizon(at: at(12)) == at(10.5))
        var stalled = stream
        _ = stalled.advance(to: at(12))
        #expect(stalled.horizon(at: at(13)) == at(13))
    }

    // MARK: - The period

    @Test(
        "A period above 5 s from the start makes it unusable at the fourth batch, and it stays so",
        arguments: [6, 10, 14])
    func unusableFromTheStart(period_s: Double) {
        let times = (0..<20).map { Double($0) * period_s }
        #expect(availabilities(times) == [.absent, .scanning, .unusable])
        #expect(availabilities(Array(times[..<3])) == [.absent, .scanning])
        #expect(availabilities(Array(times[..<4])) == [.absent, .scanning, .unusable])
    }

    @Test("A period above 15 s, too, is known after some batches")
    func veryRare() {
        let found = availabilities((0..<10).map { Double($0) * 40 })
        #expect(found.last == .unusable)
        #expect(found.count { $0 == .stalled } == 3)
    }

    @Test("A period that grows beyond the silence that stalls is known after three batches", arguments: [4.0, 6])
    func grows(period_s: Double) {
        let before = stream(every: 1, batches: 40)
        let found = availabilities((1..<20).map { 39 + Double($0) * period_s }, from: before)
        // `availabilities` begins with the first of the rare batches, so the first stall comes with it.
        #expect(found.last == (period_s > 5 ? .unusable : .scanning))
        #expect(found.count { $0 == .stalled } <= 3)
    }

    @Test("Three outages of different lengths change no period")
    func outages() {
        var times: [Double] = []
        var time_s = 0.0
        for outage_s in [10.0, 25, 60, 1] {
            for _ in 0..<10 {
                times.append(time_s)
                time_s += 1
            }
            time_s += outage_s
        }
        let found = availabilities(times)
        #expect(found == [.absent, .scanning, .stalled, .scanning, .stalled, .scanning, .stalled, .scanning])
    }

    @Test("Before the period is known, 15 s of silence stall it, and silence is no evidence for 7.5 s")
    func unknownPeriod() {
        var stream = ReceiverStream(at: at(0))
        _ = stream.receive([packet(1), packet(2)], at: at(1), wall: nil)
        #expect(stream.nextDeadline == at(16))
        #expect(stream.horizon(at: at(8)) <= at(1))
        #expect(stream.horizon(at: at(12)) == at(4.5))
    }

    // MARK: - Senders

    @Test("A second topic with packets is a second receiver, unless the first one has been silent for a minute")
    func senders() {
        var senders = ReceiverSenders()
        #expect(senders.take("a", at: at(0)) == nil)
        #expect(senders.take("a", at: at(1)) == nil)
        #expect(senders.take("b", at: at(2)).map { [$0.first, $0.second] } == ["a", "b"])
        #expect(senders.take("b", at: at(61)) == nil)
        #expect(senders.take("b", at: at(62)) == nil)
    }
}
