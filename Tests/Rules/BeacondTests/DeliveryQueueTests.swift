import Testing

@testable import Agent
@testable import Core

@Suite("The queue between the radio and delivery is bounded")
struct DeliveryQueueTests {
    private func transition(_ region: String, _ state: RegionState, at seconds: Double = 0, isCrossing: Bool = true)
        -> GatewayOutput
    {
        let instant = Instant.origin + .seconds(seconds)
        return .transition(
            RegionTransition(
                instance: RegionInstanceID(region: region), state: state, since: instant, at: instant,
                event: isCrossing ? RegionEvent(.enter) : nil), record: nil)
    }

    @Test("A full queue loses and counts events, and keeps the last state of each region")
    func overflow() throws {
        let queue = try DeliveryQueue()
        queue.push(Array(repeating: transition("early", .inside), count: OutputHandling.Shedding.lateLimit))
        queue.push([
            transition("a", .inside), transition("b", .unknown, isCrossing: false), transition("a", .outside, at: 5),
        ])
        let content = queue.take()
        #expect(content.outputs.count == OutputHandling.Shedding.lateLimit)
        #expect(content.overflow.lostEvents == 2)
        #expect(
            content.overflow.lastStates == [
                transition("a", .outside, at: 5, isCrossing: false), transition("b", .unknown, isCrossing: false),
            ])
        #expect(queue.drops.transitions == 3)
        #expect(queue.take().overflow.lostEvents == 0)
    }

    @Test("Ranging is dropped first, and rare outputs always fit")
    func shedding() throws {
        let queue = try DeliveryQueue()
        queue.push(Array(repeating: transition("early", .inside), count: OutputHandling.Shedding.earlyLimit))
        let report = RangingReport(instance: RegionInstanceID(region: "a"), at: .origin, count: 0, beacons: [])
        queue.push([.message(report, at: .origin), transition("late", .inside)])
        #expect(queue.drops.ranging == 1 && queue.take().outputs.count == OutputHandling.Shedding.earlyLimit + 1)
        queue.push(Array(repeating: transition("early", .inside), count: OutputHandling.Shedding.lateLimit))
        queue.push([.stays([]), .radio(.replay, at: .origin), .unregistered(region: "a", instances: [], at: .origin)])
        #expect(queue.take().outputs.count == OutputHandling.Shedding.lateLimit + 2)
    }
}
