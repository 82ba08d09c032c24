import Testing

@testable import Agent
@testable import Core

@Suite("A new certificate on a connection that stands")
struct CertificateRenewalTests {
    @Test("The session connects anew at once where no message is under way")
    func idle() {
        var bench = SessionBench.settled()
        #expect(bench.session.certificateChanged(at: bench.now) == [.log(.certificateChanged), .drop, .connect])
        #expect(!bench.session.counters.isConnected)
    }

    @Test("The last PUBACK ends the connection, so that no message goes out twice and none is left out")
    func underWay() {
        var bench = SessionBench.settled()
        let mids = bench.register(bench.supply(1...4))
        #expect(mids.count == 2)
        #expect(bench.session.certificateChanged(at: bench.now) == [.log(.certificateChanged)])
        let first = bench.session.acknowledged(mids[0], .success, at: bench.now)
        #expect(first == [.acknowledge(sequence: 1)])
        let second = bench.session.acknowledged(mids[1], .success, at: bench.now)
        #expect(second == [.acknowledge(sequence: 2), .drop, .connect])

        let again = bench.session.connected(BrokerLimits(), at: bench.now)
        let after = again + bench.accept(again)
        let rest = bench.session.supply([3, 4].map(SessionBench.event), at: bench.now)
        #expect((after + rest).published.filter { $0.hasPrefix("#") } == ["#3", "#4"])
    }

    @Test("Where the PUBACK never comes, the connection ends as any dead one, and the next one is ordinary")
    func silent() {
        var bench = SessionBench.settled()
        _ = bench.register(bench.supply(1...1))
        _ = bench.session.certificateChanged(at: bench.now)
        #expect(bench.pass(.seconds(31)).contains(.drop))
        #expect(bench.wake() == [.connect])
        #expect(bench.session.connected(BrokerLimits(), at: bench.now).published == ["root/status=online", "#1"])
    }

    @Test("Without a connection there is nothing to renew: the next attempt reads the files")
    func disconnected() {
        var bench = SessionBench()
        _ = bench.session.start(at: bench.now)
        #expect(bench.session.certificateChanged(at: bench.now).isEmpty)
    }
}
