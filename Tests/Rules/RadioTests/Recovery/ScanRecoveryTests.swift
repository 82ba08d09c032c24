import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("Getting an adapter to scan again")
struct ScanRecoveryTests {
    static let adapter = Adapter(
        index: 0, address: DeviceAddress(bits: 0x1122_3344_5566, type: .public), isUp: true, isBlocked: false)

    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    private func answer(_ step: ScanStep, _ status: HCIStatus, _ controller: inout ScanController, at time: Double)
        -> [ScanController.Action]
    {
        controller.commandCompleted(
            CommandOutcome(commandCredits: 1, opcode: step.opcode, status: status), features: [], at: at(time))
    }

    /// Asked for its features at 0 s, after it was opened.
    private func opened(mayAdminister: Bool = true) -> ScanController {
        var controller = ScanController(mayAdminister: mayAdminister)
        _ = controller.start(at: at(0))
        _ = controller.surveyed(.usable(Self.adapter), at: at(0))
        _ = controller.opened(at: at(0))
        return controller
    }

    /// Time passes, deadline by deadline, without an answer; returns the actions with their times.
    private func steps(_ controller: inout ScanController, until end: Double) -> [String] {
        var steps: [String] = []
        while controller.nextDeadline <= at(end) {
            let due = controller.nextDeadline
            for action in controller.tick(at: due) {
                if case .report(.recovery(let step, _)) = action {
                    steps.append("\(step.rawValue) \((due - at(0)).seconds)")
                }
            }
        }
        return steps
    }

    @Test("A dead controller is asked again, then taken down and up with its socket closed, then looked for")
    func powerCycle() {
        var controller = opened()
        #expect(controller.tick(at: at(2)).contains(.report(.availability(.stalled))))
        #expect(controller.tick(at: at(4)) == [.report(.recovery(.reenable, Self.adapter)), .send(.readFeatures)])
        #expect(controller.tick(at: at(6)).suffix(2) == [.close, .report(.recovery(.powerCycle, Self.adapter))])
        #expect(controller.nextDeadline == .distantFuture, "The kernel has its own time-outs.")
        #expect(controller.repaired(at: at(7)) == [.look])
        #expect(controller.surveyed(.usable(Self.adapter), at: at(7)) == [.open(Self.adapter)])
    }

    @Test("A controller that comes up and dies again at the same command is reset")
    func reset() {
        var controller = opened()
        #expect(steps(&controller, until: 6) == ["reenable 4.0", "power_cycle 6.0"])
        _ = controller.repaired(at: at(7))
        _ = controller.surveyed(.usable(Self.adapter), at: at(7))
        _ = controller.opened(at: at(7))
        _ = answer(.readFeatures, .success, &controller, at: 7)
        #expect(steps(&controller, until: 30) == ["reenable 11.0", "reset 13.0"])
    }

    @Test("Without CAP_NET_ADMIN it is only asked, for ever")
    func unprivileged() {
        var controller = opened(mayAdminister: false)
        let steps = steps(&controller, until: 600)
        #expect(steps.count > 15 && steps.holdForAll { $0.hasPrefix("reenable") })
    }

    @Test("A quiet shop causes no recovery, however long it lasts")
    func quiet() {
        var controller = opened()
        for step in [ScanStep.readFeatures, .setParameters(.legacy)] {
            _ = answer(step, .success, &controller, at: 0)
        }
        _ = answer(.enable(.legacy), .success, &controller, at: 0)
        while controller.nextDeadline < at(7_200) {
            let due = controller.nextDeadline
            var waiting = controller.tick(at: due)
            while let action = waiting.popLast() {
                if case .report(.recovery) = action { Issue.record("\(action) at \(due)") }
                if case .send(let step) = action {
                    waiting += answer(step, .success, &controller, at: (due - at(0)).seconds)
                }
            }
        }
    }

    @Test("A controller that answers with a refusal is asked again and never reset")
    func refusing() {
        var controller = opened()
        var time = 0.0
        while time < 7_200 {
            var actions = answer(.readFeatures, .success, &controller, at: time)
            while case .send(let step)? = actions.last {
                actions = answer(step, .unspecifiedError, &controller, at: time)
            }
            time = (controller.nextDeadline - at(0)).seconds
            for action in controller.tick(at: at(time)) {
                if case .report(.recovery(let step, _)) = action { #expect(step == .reenable) }
            }
        }
    }

    @Test("An adapter that no process has brought up is announced as off, then brought up and looked for")
    func powerOn() {
        var controller = ScanController(mayAdminister: true)
        _ = controller.start(at: at(0))
        #expect(controller.surveyed(.obstacle(.off, Self.adapter), at: at(0)) == [.report(.availability(.off))])
        #expect(controller.surveyed(.obstacle(.off, Self.adapter), at: at(1)).isEmpty)
        #expect(controller.tick(at: at(2)) == [.look])
        #expect(
            controller.surveyed(.obstacle(.off, Self.adapter), at: at(2)) == [
                .report(.recovery(.powerOn, Self.adapter))
            ])
        #expect(controller.deviceChanged(DeviceEvent(change: .up, index: 0), at: at(2)).isEmpty, "Our own doing.")
        #expect(controller.repaired(at: at(2.1)) == [.look])
    }

    @Test("An adapter that another process takes down during a scan stays down")
    func switchedOff() {
        var controller = opened()
        _ = controller.deviceChanged(DeviceEvent(change: .down, index: 0), at: at(1))
        for second in 1..<60 {
            let actions = controller.surveyed(.obstacle(.off, Self.adapter), at: at(Double(second)))
            #expect(actions == (second == 1 ? [.report(.availability(.off))] : []))
            _ = controller.tick(at: at(Double(second + 1)))
        }
    }

    @Test("An adapter that the kernel took down and cannot bring up is stalled, and the agent brings it up")
    func hardwareError() {
        var controller = opened()
        _ = controller.hardwareErrorSeen(code: 0, at: at(1))
        _ = controller.deviceChanged(DeviceEvent(change: .down, index: 0), at: at(1.1))
        #expect(controller.surveyed(.obstacle(.off, Self.adapter), at: at(1.1)) == [.report(.availability(.stalled))])
        #expect(
            controller.surveyed(.obstacle(.off, Self.adapter), at: at(3.2)) == [
                .report(.recovery(.powerOn, Self.adapter))
            ])
    }

    @Test("An adapter that does not come up after the agent's own restart is stalled, not off, and retried")
    func notUp() {
        var controller = opened()
        _ = steps(&controller, until: 6)
        _ = controller.repaired(at: at(8))
        #expect(controller.surveyed(.obstacle(.off, Self.adapter), at: at(8)).isEmpty, "Stalled is known.")
        _ = controller.tick(at: at(10))
        #expect(
            controller.surveyed(.obstacle(.off, Self.adapter), at: at(10)) == [
                .report(.recovery(.powerOn, Self.adapter))
            ]
        )
    }

    @Test("When stopped during a step, it does nothing more")
    func stop() {
        var controller = opened()
        _ = steps(&controller, until: 6)
        #expect(controller.stop(at: at(9)) == [.close])
        #expect(controller.repaired(at: at(8)).isEmpty)
    }
}
