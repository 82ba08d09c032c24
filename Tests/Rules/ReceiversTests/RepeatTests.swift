import Testing

@testable import Core

@Suite("What a receiver publishes twice, or late")
struct RepeatTests {
    @Test("A packet whose transmitter, time and level came before counts for nothing, and proves nothing")
    func packetAgain() {
        var stream = stream(every: 1)
        let batch = [packet(1, at: 9.9), packet(2, at: 9.3)]
        #expect(stream.receive(batch, at: at(10), wall: wall(10)).count == 2)
        #expect(stream.receive(ReceiverMessage(packets: batch), at: at(10.4), wall: wall(10.4)) == nil)
        let more = stream.receive(batch + [packet(1, at: 10.5)], at: at(11), wall: wall(11))
        #expect(more.map(\.at) == [at(10.5)])
        _ = stream.receive(batch, at: at(12), wall: wall(12))
        _ = stream.advance(to: at(15))
        #expect(stream.liveness == .blind(since: at(11)))
    }

    @Test("A packet older than the silence that stalls counts for nothing, even if it never came before")
    func oldPacket() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 9.9)], at: at(10), wall: wall(10))
        stream.passed(at(28))
        #expect(
            stream.receive([packet(1, at: 24), packet(2, at: 29)], at: at(30), wall: wall(30)).map(\.at) == [at(29)])
    }

    @Test("A message with a time counts once, however long ago it came")
    func datedMessageAgain() {
        var stream = stream(every: 1)
        #expect(stream.receive(message(1, packets: 1, isDated: true), at: at(10), wall: nil) != nil)
        for second in 11..<28 {
            #expect(
                stream.receive(message(second, packets: 1, isDated: true), at: at(Double(second)), wall: nil) != nil)
        }
        #expect(stream.receive(message(1, packets: 1, isDated: true), at: at(28), wall: nil) == nil)
        #expect(stream.receive(message(12, packets: 1, isDated: true), at: at(28.5), wall: nil) == nil)
        #expect(stream.receive(message(11, packets: 1, isDated: true), at: at(29), wall: nil) == nil)
    }

    @Test("A message with a time that comes again and again counts once, and its receiver stalls")
    func messageForEver() {
        var stream = ReceiverStream(at: at(0))
        var same = ReceiverMessage(packets: [packet(1, at: 0), packet(2, at: 0)])
        (same.fingerprint, same.isDated) = (1, true)
        for second in 0..<40 {
            let heard = stream.receive(same, at: at(Double(second)), wall: wall(Double(second)))
            #expect((heard != nil) == (second == 0))
            _ = stream.advance(to: at(Double(second) + 0.9))
            stream.passed(stream.horizon(at: at(Double(second) + 0.9)))
        }
        #expect(stream.liveness == .blind(since: at(0)))
    }

    @Test("Messages that came before keep no receiver hearing")
    func knownMessagesKeepNothing() {
        var stream = stream(every: 1)
        for second in 10..<20 {
            #expect(
                stream.receive(message(second, packets: 2, isDated: true), at: at(Double(second)), wall: nil) != nil)
        }
        for second in 20..<30 {
            #expect(stream.receive(message(second - 10, isDated: true), at: at(Double(second)), wall: nil) == nil)
            _ = stream.advance(to: at(Double(second)))
        }
        #expect(stream.liveness == .blind(since: at(19)))
    }

    @Test("A backlog keeps a receiver hearing for one more silence at most")
    func backlogKeepsLittle() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 10)], at: at(10), wall: wall(10))
        for number in 0..<100 {
            let now_s = 11 + 0.2 * Double(number)
            #expect(stream.receive([packet(1, at: Double(number) - 300)], at: at(now_s), wall: wall(now_s)).isEmpty)
            _ = stream.advance(to: at(now_s))
            if now_s > 16.1 { #expect(stream.availability == .stalled) }
        }
    }

    @Test("The time of a whole message shows its age, where its packets have none")
    func messageTime() {
        func message(_ number: Int, sent_s: Double) -> ReceiverMessage {
            var message = ReceiverMessage(packets: [packet(1), packet(2)])
            (message.fingerprint, message.isDated, message.sentAt) = (number, true, wall(sent_s))
            return message
        }
        var stream = stream(every: 1)
        #expect(stream.receive(message(1, sent_s: 9.2), at: at(10), wall: wall(10))?.map(\.at) == [at(9.5), at(9.5)])
        _ = stream.advance(to: at(60))
        stream.passed(stream.horizon(at: at(60)))
        for number in 0..<30 {
            let now_s = 60 + 0.05 * Double(number)
            #expect(stream.receive(message(2 + number, sent_s: 20 + Double(number)), at: at(now_s), wall: nil) == nil)
        }
        #expect(stream.receive(message(90, sent_s: 61.4), at: at(62), wall: nil) != nil)
    }

    @Test("A message of four packets without a time counts once, where others came in between or it comes at once")
    func undatedMessageAgain() {
        var stream = stream(every: 1)
        #expect(stream.receive(message(1), at: at(10), wall: nil) != nil)
        #expect(stream.receive(message(1), at: at(10.1), wall: nil) == nil)
        #expect(stream.receive(message(2), at: at(11), wall: nil) != nil)
        #expect(stream.receive(message(1), at: at(11.5), wall: nil) == nil)
        #expect(stream.receive(message(3, packets: 3), at: at(12), wall: nil) != nil)
        #expect(stream.receive(message(4), at: at(13), wall: nil) != nil)
        #expect(stream.receive(message(3, packets: 3), at: at(14), wall: nil) != nil)
        #expect(stream.receive(message(5), at: at(15), wall: nil) != nil)
        #expect(stream.receive(message(5), at: at(33), wall: nil) == nil)
    }

    @Test("A message of four packets that comes again between two batches counts for nothing", arguments: [0.3, 0.6])
    func againBetweenBatches(after_s: Double) {
        var stream = stream(every: 1)
        for second in 10..<90 {
            #expect(stream.receive(message(second), at: at(Double(second)), wall: nil) != nil)
            #expect(stream.receive(message(second), at: at(Double(second) + after_s), wall: nil) == nil)
        }
        #expect(stream.period == .seconds(1))
    }

    @Test("Air in which nothing changes stays heard", arguments: [1, 2, 5])
    func constantAir(different: Int) {
        var stream = stream(every: 1)
        var heard: [Bool] = []
        for second in 10..<40 {
            heard.append(stream.receive(message(second % different), at: at(Double(second)), wall: nil) != nil)
            _ = stream.advance(to: at(Double(second) + 0.9))
        }
        // Two of several messages that alternate are lost before the third one is believed.
        #expect(heard.count { !$0 } == (different == 1 ? 0 : 2))
        #expect(stream.availability == .scanning)
    }

    @Test("A clock that is set back loses two batches, and stalls nothing")
    func setBackIsBelieved() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 10)], at: at(10), wall: wall(10))
        var counts: [Int] = []
        for second in 11..<20 {
            let now = at(Double(second))
            counts.append(
                stream.receive([packet(1, at: Double(second) - 3_600)], at: now, wall: wall(Double(second))).count)
            _ = stream.advance(to: now)
        }
        #expect(counts == [0, 0, 1, 1, 1, 1, 1, 1, 1])
        #expect(stream.availability == .scanning)
    }

    @Test("Of messages without times that come at once after a stall, the last one counts", arguments: [2, 30])
    func undatedBacklog(messages: Int) {
        var stream = stream(every: 1)
        _ = stream.advance(to: at(60))
        stream.passed(stream.horizon(at: at(60)))
        for number in 0..<messages {
            let now = at(60 + 0.01 * Double(number))
            #expect(stream.advance(to: now) == nil)
            #expect(stream.receive(message(number), at: now, wall: nil) == nil)
            #expect(stream.availability == .stalled)
        }
        let last_s = 60 + 0.01 * Double(messages - 1)
        #expect(stream.nextDeadline == at(last_s + 0.5))
        #expect(stream.advance(to: at(last_s + 0.49)) == nil)
        #expect(stream.advance(to: at(last_s + 0.5))?.count == 4)
        #expect(stream.availability == .scanning)
        #expect(stream.receive(message(90), at: at(last_s + 1), wall: nil)?.count == 4)
    }

    @Test("The messages of a backlog count for nothing when they come again, those that did not count, too")
    func undatedBacklogAgain() {
        var stream = stream(every: 1)
        _ = stream.advance(to: at(60))
        for number in 0..<5 { _ = stream.receive(message(number), at: at(60 + 0.01 * Double(number)), wall: nil) }
        for second in 61..<70 {
            _ = stream.advance(to: at(Double(second)))
            #expect(stream.receive(message(100 + second), at: at(Double(second)), wall: nil) != nil)
        }
        for number in 0..<5 { #expect(stream.receive(message(number), at: at(69.4), wall: nil) == nil) }
    }

    @Test("A backlog counts for nothing after a heartbeat, too, and one with times is not held")
    func backlogAfterHeartbeat() {
        var stream = stream(every: 1)
        _ = stream.advance(to: at(60))
        _ = stream.receive([], at: at(60), wall: nil)
        for number in 0..<5 { #expect(stream.receive(message(number), at: at(60.1), wall: nil) == nil) }
        #expect(stream.receive([packet(1, at: 60)], at: at(60.2), wall: wall(60.2)).count == 1)
    }

    @Test("A receiver that publishes packet by packet counts 3 s after a stall at the latest")
    func noBacklog() {
        var stream = ReceiverStream(at: at(0))
        var counted: [Double] = []
        for number in 0..<4_000 where !(500..<2_500).contains(number) {
            let now_s = 0.01 * Double(number)
            if stream.advance(to: at(now_s)) != nil { counted.append(now_s) }
            if stream.receive(message(number, packets: 1), at: at(now_s), wall: nil) != nil { counted.append(now_s) }
        }
        #expect((25...28).contains(counted.first { $0 > 5 } ?? 0))
        #expect(counted.count { $0 > 28 } >= 1_198)
    }

    @Test("Old messages between the receiver's own change no clock")
    func oldInBetween() {
        var stream = stream(every: 1)
        for second in 10..<30 {
            let now_s = Double(second)
            #expect(stream.receive([packet(1, at: now_s)], at: at(now_s), wall: nil).map(\.at) == [at(now_s)])
            #expect(stream.receive([packet(1, at: now_s - 600)], at: at(now_s + 0.3), wall: nil).isEmpty)
        }
    }

    @Test("One message from the future makes no other one late")
    func future() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 10)], at: at(10), wall: nil)
        #expect(stream.receive([packet(9, at: 610)], at: at(10.4), wall: nil).map(\.at) == [at(10.4)])
        #expect(
            stream.receive([packet(1, at: 10.6), packet(1, at: 11)], at: at(11), wall: nil).map(\.at) == [
                at(10.6), at(11),
            ])
    }

    @Test("A clock that is set forward is believed after 2 s")
    func setForward() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 10)], at: at(10), wall: nil)
        var heard: [Instant] = []
        for second in 11..<15 {
            let now_s = Double(second)
            heard += stream.receive(
                [packet(1, at: now_s + 99.5), packet(1, at: now_s + 100)], at: at(now_s), wall: nil
            )
            .map(\.at)
        }
        #expect(heard == [11, 11, 12, 12, 12.5, 13, 13.5, 14].map(at))
    }

    @Test(
        "Old messages that came before make nothing after an outage, one after the other or in a burst",
        arguments: [2.0, 0.05])
    func knownMessagesAlone(apart_s: Double) {
        var stream = stream(every: 1)
        for second in 10..<30 {
            let now_s = Double(second)
            var message = message(second, packets: 2, isDated: true)
            for place in message.packets.indices { message.packets[place].time = wall(now_s - 0.5) }
            #expect(stream.receive(message, at: at(now_s), wall: wall(now_s)) != nil)
        }
        _ = stream.advance(to: at(60))
        for number in 0..<10 {
            let now_s = 60 + apart_s * Double(number)
            var message = message(15 + number, packets: 2, isDated: true)
            for place in message.packets.indices { message.packets[place].time = wall(Double(15 + number) - 0.5) }
            #expect(stream.receive(message, at: at(now_s), wall: wall(now_s)) == nil)
        }
        #expect(stream.liveness == .blind(since: at(29)))
    }

    @Test("A backlog that a bridge delivers in some seconds makes nothing, even if none of it came before")
    func backlog() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 10)], at: at(10), wall: wall(10))
        _ = stream.advance(to: at(400))
        stream.passed(stream.horizon(at: at(400)))
        for number in 0..<60 {
            let now_s = 400 + 0.1 * Double(number)
            #expect(stream.receive([packet(1, at: 20 + Double(number))], at: at(now_s), wall: wall(now_s)).isEmpty)
        }
        #expect(stream.receive([packet(1, at: 406.5)], at: at(407), wall: wall(407)).map(\.at) == [at(406.5)])
    }

    @Test("A backlog before the first message of now counts for nothing")
    func backlogFirst() {
        var stream = ReceiverStream(at: at(0))
        for number in 0..<20 {
            let now_s = 1 + 0.05 * Double(number)
            #expect(
                stream.receive([packet(1, at: Double(number) - 300)], at: at(now_s), wall: wall(now_s)).isEmpty)
        }
        #expect(stream.availability == .absent)
        #expect(stream.receive([packet(1, at: 2.4)], at: at(2.5), wall: wall(2.5)).map(\.at) == [at(2.4)])
    }

    @Test("Before the clock is known, one that is minutes behind is believed after 2 s, an older or later one at once")
    func firstClock() {
        func heard(ahead_s: Double) -> [Int] {
            var stream = ReceiverStream(at: at(0))
            return (0..<5).map { second in
                let now_s = Double(second)
                return stream.receive([packet(1, at: now_s + ahead_s)], at: at(now_s), wall: wall(now_s)).count
            }
        }
        #expect(heard(ahead_s: -300) == [0, 0, 1, 1, 1])
        #expect(heard(ahead_s: -100_000_000) == [1, 1, 1, 1, 1])
        #expect(heard(ahead_s: 300) == [1, 1, 1, 1, 1])
        #expect(heard(ahead_s: -2.5) == [1, 1, 1, 1, 1])
    }

    @Test("Of batches with fewer than four packets and no time, one that comes beside the usual ones counts once")
    func fewPacketsAgain() {
        var stream = stream(every: 1)
        for second in 10..<16 {
            #expect(stream.receive(message(second, packets: 1), at: at(Double(second)), wall: nil) != nil)
        }
        #expect(stream.receive(message(11, packets: 1), at: at(15.5), wall: nil) == nil)
        // At its usual time, an equal message is air in which nothing changes.
        #expect(stream.receive(message(12, packets: 1), at: at(16), wall: nil) != nil)
    }

    @Test("An equal message within one batch counts once, however few its packets")
    func againInABatch() {
        var stream = stream(every: 1)
        #expect(stream.receive(message(1, packets: 1), at: at(10), wall: nil) != nil)
        #expect(stream.receive(message(2, packets: 1), at: at(10.02), wall: nil) != nil)
        #expect(stream.receive(message(1, packets: 1), at: at(10.04), wall: nil) == nil)
        #expect(stream.receive(message(1, packets: 1), at: at(11), wall: nil) != nil)
    }

    @Test("An old message of few packets beside a batch counts for nothing", arguments: [0.02, 0.15, 0.5])
    func fewPacketsBesideABatch(after_s: Double) {
        var stream = stream(every: 1)
        for second in 10..<16 {
            #expect(stream.receive(message(second, packets: 2), at: at(Double(second)), wall: nil) != nil)
        }
        #expect(stream.receive(message(11, packets: 2), at: at(15 + after_s), wall: nil) == nil)
    }

    @Test("Old messages beside air in which nothing changes count for nothing")
    func oldBesideConstantAir() {
        var stream = stream(every: 1)
        for second in 10..<16 { #expect(stream.receive(message(second), at: at(Double(second)), wall: nil) != nil) }
        for second in 16..<30 {
            #expect(stream.receive(message(99), at: at(Double(second)), wall: nil) != nil)
            #expect(stream.receive(message(10 + second % 4), at: at(Double(second) + 0.5), wall: nil) == nil)
        }
    }

    @Test("A backlog in two bursts makes nothing")
    func backlogInTwoBursts() {
        var stream = stream(every: 1)
        _ = stream.receive([packet(1, at: 10)], at: at(10), wall: wall(10))
        _ = stream.advance(to: at(45))
        stream.passed(stream.horizon(at: at(45)))
        for number in 0..<10 {
            let now_s = number < 3 ? 45 + 0.05 * Double(number) : 47.2 + 0.02 * Double(number)
            #expect(stream.receive([packet(1, at: 28 + Double(number))], at: at(now_s), wall: wall(now_s)).isEmpty)
        }
        #expect(stream.availability == .stalled)
    }

    @Test("A receiver whose batches come in two parts keeps the parts that are equal by chance")
    func twoParts() {
        var stream = ReceiverStream(at: at(0))
        for number in 0..<40 {
            #expect(stream.receive(message(number, packets: 5), at: at(Double(number)), wall: nil) != nil)
            #expect(stream.receive(message(1_000, packets: 2), at: at(Double(number) + 0.4), wall: nil) != nil)
        }
    }

    @Test(
        "A receiver whose batches begin to come in two parts keeps the equal ones after 30 batches",
        arguments: [0.1, 0.4])
    func twoPartsLater(after_s: Double) {
        var (stream, lost) = (stream(every: 1), [Int]())
        for number in 10..<100 {
            let now_s = Double(number)
            #expect(stream.receive(message(number, packets: 5), at: at(now_s), wall: nil) != nil)
            let isLost = stream.receive(message(1_000, packets: 2), at: at(now_s + after_s), wall: nil) == nil
            if isLost { lost.append(number) }
        }
        #expect(lost == Array(11..<(11 + lost.count)) && 30...31 ~= lost.count)
    }

    @Test("A receiver that publishes packet by packet keeps the packets that are equal by chance")
    func singlePacketsAlike() {
        var stream = ReceiverStream(at: at(0))
        for number in 0..<40 {
            #expect(stream.receive(message(number % 3, packets: 1), at: at(0.3 * Double(number)), wall: nil) != nil)
        }
    }
}
