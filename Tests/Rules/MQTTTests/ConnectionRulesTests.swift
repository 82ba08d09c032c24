import Testing

@testable import Agent
@testable import Core

@Suite("Connecting and reconnecting")
struct ConnectionRulesTests {
    let refusal = ConnectionFailure.refused(.notAuthorized)

    /// Fails `count` attempts in a row and returns the pauses between them, in seconds.
    func pauses(_ bench: inout SessionBench, count: Int, _ failure: ConnectionFailure) -> [Double] {
        var pauses: [Double] = []
        _ = bench.session.start(at: bench.now)
        for _ in 0..<count {
            _ = bench.session.connectionLost(failure, at: bench.now)
            pauses.append((bench.session.nextWake - bench.now).seconds)
            _ = bench.wake()
        }
        return pauses
    }

    @Test("The session connects when it starts")
    func start() {
        var bench = SessionBench()
        #expect(bench.session.start(at: bench.now) == [.connect])
        #expect(bench.session.start(at: bench.now).isEmpty)
    }

    @Test("Pauses double from 1 s to 60 s, each within the upper half of its step, and never end")
    func backoff() {
        var bench = SessionBench()
        let pauses = pauses(&bench, count: 12, refusal)
        let steps: [Double] = [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]
        for (pause, step) in zip(pauses, steps) { #expect((step / 2...step).contains(pause)) }
    }

    @Test("Equal seeds give equal pauses, another seed gives others")
    func jitter() {
        var first = SessionBench(seed: 1)
        var second = SessionBench(seed: 1)
        var third = SessionBench(seed: 2)
        let pauses = [
            self.pauses(&first, count: 5, refusal), self.pauses(&second, count: 5, refusal),
            self.pauses(&third, count: 5, refusal),
        ]
        #expect(pauses[0] == pauses[1])
        #expect(pauses[0] != pauses[2])
    }

    @Test("A connection that lasted half a minute restarts the pauses; one that broke at once does not")
    func stable() {
        var bench = SessionBench()
        _ = pauses(&bench, count: 5, refusal)
        _ = bench.session.connected(BrokerLimits(), at: bench.now)
        bench.advance(1)
        _ = bench.session.connectionLost(.closedByBroker, at: bench.now)
        #expect(bench.session.nextWake - bench.now >= .seconds(16))
        _ = bench.wake()
        _ = bench.accept(bench.session.connected(BrokerLimits(), at: bench.now))
        bench.advance(30)
        _ = bench.session.connectionLost(.keepaliveExpired, at: bench.now)
        #expect(bench.session.nextWake - bench.now <= .seconds(1))
    }

    /// Loses `count` connections, each after a rival's pause, to a broker that gives no reason. Returns the pauses in seconds.
    func losses(_ bench: inout SessionBench, count: Int, after_s: (Double) -> Double) -> [Double] {
        var pauses: [Double] = []
        _ = bench.session.start(at: bench.now)
        for _ in 0..<count {
            _ = bench.accept(bench.session.connected(BrokerLimits(), at: bench.now))
            bench.advance(after_s(pauses.last ?? 1))
            #expect(
                bench.session.connectionLost(.closedByBroker, at: bench.now).notices
                    == [.connectionFailed(.closedByBroker)])
            pauses.append((bench.session.nextWake - bench.now).seconds)
            _ = bench.wake()
        }
        return pauses
    }

    @Test(
        "Two agents with one id, which the broker ends without a reason, wait longer each time, and log the reason each time"
    )
    func unexplainedCloses() {
        var bench = SessionBench()
        // The rival pauses as long as this agent did.
        let pauses = losses(&bench, count: 12) { $0 }
        for (pause, step) in zip(pauses, [1.0, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]) {
            #expect((step / 2...step).contains(pause))
        }
    }

    @Test("A connection that outlasts a rival's longest pause restarts the pauses")
    func unexplainedClosesEnd() {
        var bench = SessionBench()
        _ = losses(&bench, count: 8) { $0 }
        #expect(losses(&bench, count: 2) { _ in 121 }.allSatisfy { $0 <= 1 })
    }

    @Test("A cause is logged once however often it comes back, with a remedy, until a good connection ends it")
    func loggedOnce() {
        var bench = SessionBench()
        _ = bench.session.start(at: bench.now)
        var said: [DeliveryNotice] = []
        for failure in [refusal, refusal, .closedByBroker, refusal] {
            said += bench.session.connectionLost(failure, at: bench.now).notices
            _ = bench.wake()
        }
        #expect(said == [.connectionFailed(refusal), .connectionFailed(.closedByBroker)])
        #expect(said.first?.description.contains("mqtt.username") == true)
        let back = bench.session.connected(BrokerLimits(), at: bench.now)
        #expect(back.notices == [.connected(BrokerLimits())])
        _ = bench.accept(back)
        bench.advance(60)
        #expect(bench.session.connectionLost(refusal, at: bench.now).notices == [.connectionFailed(refusal)])
    }

    @Test("A handshake that ends without OpenSSL's reason does not hide the cause logged before")
    func concealedCause() {
        var bench = SessionBench()
        let cause = ConnectionFailure.tls(detail: "sslv3 alert certificate revoked")
        let vague = ConnectionFailure.handshakeEnded
        _ = bench.session.start(at: bench.now)
        var said: [DeliveryNotice] = []
        for failure in [vague, cause, vague, .closedBeforeLogin(host: "broker", port: 8883), refusal, vague] {
            said += bench.session.connectionLost(failure, at: bench.now).notices
            if failure != vague && failure != refusal { #expect(bench.session.counters.lastFailure == cause) }
            _ = bench.wake()
        }
        #expect(said == [vague, cause, refusal].map(DeliveryNotice.connectionFailed))
        #expect(bench.session.counters.lastFailure == vague)
        // After a connection that lasted it is new again.
        _ = bench.accept(bench.reconnect(after: cause))
        bench.advance(60)
        _ = bench.session.connectionLost(.closedByBroker, at: bench.now)
        _ = bench.wake()
        #expect(bench.session.connectionLost(vague, at: bench.now).notices == [.connectionFailed(vague)])
    }

    @Test("An attempt without an answer times out after 15 s")
    func timeout() {
        var bench = SessionBench()
        _ = bench.session.start(at: bench.now)
        bench.advance(14.9)
        #expect(bench.session.tick(at: bench.now).isEmpty)
        bench.advance(0.1)
        let failure = ConnectionFailure.connectTimedOut(host: "broker", port: 1883)
        #expect(bench.session.tick(at: bench.now) == [.drop, .log(.connectionFailed(failure))])
    }

    @Test("A PUBACK that is 30 s late ends the connection, and the message goes out again on the next")
    func overdue() {
        var bench = SessionBench()
        _ = bench.register(bench.connect())
        bench.advance(30)
        let actions = bench.session.tick(at: bench.now)
        #expect(actions.first == .drop)
        #expect(bench.session.counters.lastFailure == .acknowledgementOverdue)
        #expect(bench.wake() == [.connect])
        #expect(bench.session.connected(BrokerLimits(), at: bench.now).published == ["root/status=online"])
    }

    @Test("A broker silent for one and a half keepalives is gone; any packet from it counts")
    func silence() {
        var bench = SessionBench.settled(keepalive_s: 30)
        bench.advance(44)
        bench.session.heard(at: bench.now)
        bench.advance(44.9)
        #expect(bench.session.tick(at: bench.now).isEmpty)
        #expect(bench.wake() == [.drop, .log(.connectionFailed(.keepaliveExpired))])
    }

    @Test("The shortest keepalive still gives a ping 3 s for its answer", arguments: [(5, 8.0), (6, 9), (30, 45)])
    func silenceTimeout(keepalive_s: Int, timeout_s: Double) {
        #expect(LiveConnection.silenceTimeout(keepalive_s: keepalive_s) == .seconds(timeout_s))
    }

    @Test("A broker's own keepalive replaces the configured one, on that connection", arguments: [5, 60])
    func serverKeepalive(keepalive_s: Int) {
        var bench = SessionBench(keepalive_s: 30)
        _ = bench.accept(bench.connect(BrokerLimits(keepalive_s: keepalive_s)))
        let timeout = LiveConnection.silenceTimeout(keepalive_s: keepalive_s)
        #expect(bench.session.nextWake == bench.now + timeout)
        #expect(bench.wake().first == .drop)
        _ = bench.wake()
        _ = bench.accept(bench.session.connected(BrokerLimits(), at: bench.now))
        #expect(bench.session.nextWake == bench.now + .seconds(45))
    }

    @Test("A broker that wants no pings is never given up for its silence")
    func noKeepalive() {
        var bench = SessionBench(keepalive_s: 30)
        _ = bench.accept(bench.connect(BrokerLimits(keepalive_s: 0)))
        bench.advance(100_000)
        #expect(!bench.session.tick(at: bench.now).contains(.drop))
    }

    @Test("When another client takes the identifier, the session stays away for minutes and logs the reason")
    func takenOver() {
        var bench = SessionBench.settled()
        let said = bench.session.connectionLost(.disconnected(.sessionTakenOver), at: bench.now).notices
        #expect(bench.session.nextWake - bench.now >= .seconds(150))
        #expect(said.first?.description.contains("another agent uses this gateway's id") == true)
    }

    @Test("Subscriptions are made again on every connection")
    func subscriptions() {
        var bench = SessionBench(filters: ["root/request/+"])
        #expect(bench.connect().contains(.subscribe(filters: ["root/request/+"])))
        #expect(bench.reconnect().contains(.subscribe(filters: ["root/request/+"])))
        let refused = bench.session.subscribed("root/request/+", [.notAuthorized], at: bench.now)
        #expect(refused.notices == [.subscriptionRefused(.notAuthorized)])
    }

    @Test("A broker that keeps no retained messages causes a warning")
    func noRetain() {
        var bench = SessionBench()
        let notice = bench.connect(BrokerLimits(isRetainAvailable: false)).notices.first
        #expect(notice?.isWarning == true)
        #expect(notice?.description.contains("retained") == true)
    }

    @Test("A broker that refuses a retained will gets an unretained one, at once; the next connection tries again")
    func unretainedWill() {
        var bench = SessionBench()
        let failure = ConnectionFailure.refused(.retainNotSupported)
        var said: [DeliveryNotice] = []
        #expect(bench.session.start(at: bench.now) == [.connect])
        for _ in 1...3 {
            #expect(bench.session.isWillRetained)
            #expect(bench.session.connectionLost(failure, at: bench.now) == [.connect])
            #expect(!bench.session.isWillRetained)
            let connected = bench.session.connected(BrokerLimits(isRetainAvailable: false), at: bench.now)
            said += connected.notices
            _ = bench.accept(connected)
            bench.advance(60)
            _ = bench.session.connectionLost(.disconnected(.serverUnavailable), at: bench.now)
            #expect(bench.wake() == [.connect])
        }
        #expect(said.first == .connected(BrokerLimits(isRetainAvailable: false)))
    }

    @Test("A broker that refuses that will as well is retried after a pause, and the log tells so")
    func refusedWill() {
        var bench = SessionBench()
        let failure = ConnectionFailure.refused(.retainNotSupported)
        _ = bench.session.start(at: bench.now)
        _ = bench.session.connectionLost(failure, at: bench.now)
        #expect(bench.session.connectionLost(failure, at: bench.now) == [.log(.connectionFailed(failure))])
        #expect(bench.session.nextWake > bench.now)
    }

    @Test("Reconnects are counted from the second connection")
    func counters() {
        var bench = SessionBench.settled()
        #expect(bench.session.counters.isConnected)
        _ = bench.session.connectionLost(.closedByBroker, at: bench.now)
        #expect(!bench.session.counters.isConnected)
        _ = bench.wake()
        _ = bench.session.connected(BrokerLimits(), at: bench.now)
        #expect(bench.session.counters.reconnects == 1)
    }
}
