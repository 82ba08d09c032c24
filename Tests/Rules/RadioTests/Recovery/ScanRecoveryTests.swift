import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("Getting an adapter to scan again")
struct ScanRecoveryTests {
    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

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
        var controller = ScanController.opened(mayAdminister: true)
        #expect(controller.tick(at: at(2)).contains(.report(.availability(.stalled))))
        #expect(controller.tick(at: at(4)) == [.report(.recovery(.reenable, .hci0)), .send(.readFeatures)])
        #expect(controller.tick(at: at(6)).suffix(2) == [.close, .report(.recovery(.powerCycle, .hci0))])
        #expect(controller.nextDeadline == .distantFuture, "The kernel has its own time-outs.")
        #expect(controller.repaired(at: at(7)) == [.look])
        #expect(controller.surveyed(.usable(.hci0), at: at(7)) == [.open(.hci0)])
    }

    @Test("A controller that comes up and dies again at the same command is reset")
    func reset() {
        var controller = ScanController.opened(mayAdminister: true)
        #expect(steps(&controller, until: 6) == ["reenable 4.0", "power_cycle 6.0"])
        _ = controller.repaired(at: at(7))
        _ = controller.surveyed(.usable(.hci0), at: at(7))
        _ = controller.opened(at: at(7))
        _ = controller.answer(.readFeatures, features: [], at: 7)
        #expect(steps(&controller, until: 30) == ["reenable 11.0", "reset 13.0"])
    }

    @Test("Without CAP_NET_ADMIN it is only asked, for ever")
    func unprivileged() {
        var controller = ScanController.opened(mayAdminister: false)
        let steps = steps(&controller, until: 600)
        #expect(steps.count > 15 && steps.holdForAll { $0.hasPrefix("reenable") })
    }

    @Test("A quiet shop causes no recovery, however long it lasts")
    func quiet() {
        var controller = ScanController.opened(mayAdminister: true)
        for step in [ScanStep.readFeatures, .setParameters(.legacy)] {
            _ = controller.answer(step, features: [], at: 0)
        }
        _ = controller.answer(.enable(.legacy), features: [], at: 0)
        while controller.nextDeadline < at(7_200) {
            let due = controller.nextDeadline
            var waiting = controller.tick(at: due)
            while let action = waiting.popLast() {
                if case .report(.recovery) = action { Issue.record("\(action) at \(due)") }
                if case .send(let step) = action {
                    waiting += controller.answer(step, features: [], at: (due - at(0)).seconds)
                }
            }
        }
    }

    @Test("A controller that answers with a refusal is asked again and never reset")
    func refusing() {
        var controller = ScanController.opened(mayAdminister: true)
        var time = 0.0
        while time < 7_200 {
            var actions = controller.answer(.readFeatures, features: [], at: time)
            while case .send(let step)? = actions.last {
                actions = controller.answer(step, .unspecifiedError, features: [], at: time)
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
        #expect(controller.surveyed(.obstacle(.off, .hci0), at: at(0)) == [.report(.availability(.off))])
        #expect(controller.surveyed(.obstacle(.off, .hci0), at: at(1)).isEmpty)
        #expect(controller.tick(at: at(2)) == [.look])
        #expect(controller.surveyed(.obstacle(.off, .hci0), at: at(2)) == [.report(.recovery(.powerOn, .hci0))])
        #expect(controller.deviceChanged(DeviceEvent(change: .up, index: 0), at: at(2)).isEmpty, "Our own doing.")
        #expect(controller.repaired(at: at(2.1)) == [.look])
    }

    @Test("An adapter that another process takes down during a scan stays down")
    func switchedOff() {
        var controller = ScanController.opened(mayAdminister: true)
        _ = controller.deviceChanged(DeviceEvent(change: .down, index: 0), at: at(1))
        for second in 1..<60 {
            let actions = controller.surveyed(.obstacle(.off, .hci0), at: at(Double(second)))
            #expect(actions == (second == 1 ? [.report(.availability(.off))] : []))
            _ = controller.tick(at: at(Double(second + 1)))
        }
    }

    @Test("An adapter that the kernel took down and cannot bring up is stalled, and the agent brings it up")
    func hardwareError() {
        var controller = ScanController.opened(mayAdminister: true)
        _ = controller.hardwareErrorSeen(code: 0, at: at(1))
        _ = controller.deviceChanged(DeviceEvent(change: .down, index: 0), at: at(1.1))
        #expect(controller.surveyed(.obstacle(.off, .hci0), at: at(1.1)) == [.report(.availability(.stalled))])
        #expect(controller.surveyed(.obstacle(.off, .hci0), at: at(3.2)) == [.report(.recovery(.powerOn, .hci0))])
    }

    @Test("An adapter that does not come up after the agent's own restart is stalled, not off, and retried")
    func notUp() {
        var controller = ScanController.opened(mayAdminister: true)
        _ = steps(&controller, until: 6)
        _ = controller.repaired(at: at(8))
        #expect(controller.surveyed(.obstacle(.off, .hci0), at: at(8)).isEmpty, "Stalled is known.")
        _ = controller.tick(at: at(10))
        #expect(controller.surveyed(.obstacle(.off, .hci0), at: at(10)) == [.report(.recovery(.powerOn, .hci0))])
    }

    @Test("When stopped during a step, it does nothing more")
    func stop() {
        var controller = ScanController.opened(mayAdminister: true)
        _ = steps(&controller, until: 6)
        #expect(controller.stop(at: at(9)) == [.close])
        #expect(controller.repaired(at: at(8)).isEmpty)
    }
}
