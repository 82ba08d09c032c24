import Daemon
import HCI

@testable import Radio

/// The radio loop without a thread and sockets: what `RadioRunner` and `ScanStation` are to the real adapter.
struct SimulatedRadioLoop {
    private unowned let world: World
    private let life: Int
    var owner: GatewayOwner
    private var controller: ScanController
    private(set) var liveness: RadioLiveness?
    private(set) var availability: RadioAvailability?
    private var isOpen = false
    private var ownerDeadline = Instant.origin
    private var countDue = Instant.origin
    private var counters = RadioCounters()
    private var hasNews = false
    private var provedAt = Instant.origin
    private var toldProof = Instant.origin

    init(_ world: World, life: Int, owner: GatewayOwner, mayAdminister: Bool) {
        self.world = world
        self.life = life
        self.owner = owner
        controller = ScanController(mayAdminister: mayAdminister)
    }

    /// Whether reports reach it.
    var isListening: Bool { isOpen && world.adapter.hears }

    mutating func start(at now: Instant) {
        perform(controller.start(at: now), at: now)
        hasNews = true
        announce(at: now)
        tick(at: now)
    }

    mutating func stop(at now: Instant) {
        perform(controller.stop(), at: now)
        owner.stopped(at: now)
    }

    /// Whether silence means something, as far as anyone can tell.
    var seemsToListen: Bool { isOpen && world.adapter.claimsToHear }

    /// When `tick` is due.
    var deadline: Instant { min(controller.nextDeadline, ownerDeadline, countDue) }

    mutating func tick(at now: Instant) {
        if now >= controller.nextDeadline { perform(controller.tick(at: now), at: now) }
        announce(at: now)
        if now >= countDue {
            countDue = now + .seconds(1)
            owner.counted(counters, at: now)
        }
        ownerDeadline = owner.tick(at: now)
        if owner.needsProof { perform(controller.prove(at: now), at: now) }
    }

    /// An advertising report of any kind.
    mutating func receive(_ packet: [UInt8], at now: Instant) {
        perform(controller.reportReceived(at: now), at: now)
        announce(at: now)
        counters.packets += 1
        owner.packet(packet.span, from: 0, at: now)
        tick(at: now)
    }

    mutating func receive(_ answer: RadioAnswer, at now: Instant) {
        switch answer {
        case .outcome(let outcome):
            if isOpen { perform(controller.commandCompleted(outcome, features: LEFeatures(), at: now), at: now) }
        case .repaired(let step):
            world.adapter.repair(step)
            perform(controller.repaired(at: now), at: now)
        }
        tick(at: now)
    }

    mutating func receive(_ event: DeviceEvent, at now: Instant) {
        if isOpen, event.change == .down || event.change == .unregistered {
            perform(controller.socketFailed(event.change == .down ? .off : .absent, at: now), at: now)
        }
        perform(controller.deviceChanged(event, at: now), at: now)
        tick(at: now)
    }

    private mutating func perform(_ actions: [ScanAction], at now: Instant) {
        for action in actions {
            switch action {
            case .look: perform(controller.surveyed(world.adapter.choice, at: now), at: now)
            case .open:
                isOpen = world.adapter.isUp
                perform(isOpen ? controller.opened(at: now) : controller.socketFailed(.off, at: now), at: now)
            case .send(let step):
                guard isOpen, world.adapter.answers else { break }
                world.agenda.add(
                    .radioAnswer(life: life, world.adapter.carryOut(step)), at: world.now + .milliseconds(5))
            case .close: isOpen = false
            case .announce, .announceLiveness: hasNews = true
            case .announceProof:
                provedAt = now
                hasNews = true
            case .report: break
            case .recover(let step, _):
                counters.recoveries.count(step)
                if step != .reenable {
                    world.agenda.add(.radioAnswer(life: life, .repaired(step)), at: world.now + .seconds(2))
                }
            }
        }
    }

    private mutating func announce(at now: Instant) {
        guard hasNews else { return }
        hasNews = false
        if liveness != controller.liveness {
            liveness = controller.liveness
            owner.livenessChanged(to: controller.liveness, at: now)
        }
        if provedAt > toldProof {
            toldProof = provedAt
            owner.radioProved(at: now)
        }
        if let known = controller.availability, known != availability {
            availability = known
            owner.availabilityChanged(to: known, at: now)
        }
    }
}
