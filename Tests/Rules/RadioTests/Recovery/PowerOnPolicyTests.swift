import Testing

@testable import Agent
@testable import Core

@Suite("The adapters that the agent powers up")
struct PowerOnPolicyTests {
    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    /// Returns when hci0, checked every second and never coming up, is tried.
    private func attempts(_ policy: inout PowerOnPolicy, seconds: Range<Int>) -> [Int] {
        seconds.filter { policy.foundDown(0, at: at(Double($0))) }
    }

    @Test("An adapter that no process has brought up, after 2 s in which others could have")
    func nobody() {
        var policy = PowerOnPolicy(mayAdminister: true)
        #expect(attempts(&policy, seconds: 0..<3) == [2])
    }

    @Test("Attempts are 2 s apart, then ever farther, at last a minute")
    func attemptsGrowRarer() {
        var policy = PowerOnPolicy(mayAdminister: true)
        #expect(attempts(&policy, seconds: 0..<250) == [2, 4, 8, 16, 32, 64, 124, 184, 244])
    }

    @Test("No adapter that another process switched off, until it was up again or unplugged")
    func switchedOff() {
        var policy = PowerOnPolicy(mayAdminister: true)
        policy.wasSwitchedOff(0)
        #expect(attempts(&policy, seconds: 0..<100).isEmpty)
        policy.foundUp(0)
        #expect(attempts(&policy, seconds: 100..<103) == [102])
        policy.wasSwitchedOff(0)
        policy.disappeared(0)
        #expect(attempts(&policy, seconds: 200..<203) == [202])
    }

    @Test("An adapter that a kill switch put down, once it is unblocked")
    func unblocked() {
        var policy = PowerOnPolicy(mayAdminister: true)
        // The kernel reports that it went down before the switch shows the reason.
        policy.wasSwitchedOff(0)
        policy.foundBlocked(0)
        #expect(attempts(&policy, seconds: 10..<13) == [12])
    }

    @Test("An adapter that did not come up after the agent's own restart of it, without giving up")
    func takenDown() {
        var policy = PowerOnPolicy(mayAdminister: true)
        policy.willTakeDown(0)
        #expect(policy.isTakenDown(0) && !policy.isTakenDown(1))
        #expect(attempts(&policy, seconds: 0..<3) == [2])
        policy.foundUp(0)
        #expect(!policy.isTakenDown(0))
    }

    @Test("No adapter without CAP_NET_ADMIN")
    func unprivileged() {
        var policy = PowerOnPolicy(mayAdminister: false)
        #expect(attempts(&policy, seconds: 0..<100).isEmpty)
    }
}
