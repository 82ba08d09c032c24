import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

/// Messages outside the gateway's own topics, from one process to the next.
@Suite("Outdated messages for Home Assistant and OwnTracks are cleared")
struct IntegrationsTests {
    private static let homeAssistant = "[homeassistant]\nmax_instances = 2\n"
    private static let carts = "[[region]]\nid = \"carts\"\nuuid = \"39ED98FF-2900-441A-802F-9C398FC199D2\"\n"
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path

    /// - Parameter former: the process before, which ends.
    private func start(_ tables: String, id: String = "door", after former: Dispatcher? = nil) throws -> Dispatcher {
        former?.outbox.close()
        let parts = try AgentStart("[gateway]\nid = \"\(id)\"\n\(tables)", in: folder, .november)
        _ = try parts.dispatcher.introduce(at: .origin, Timebase.november)
        _ = try parts.dispatcher.dispatch(parts.outputs, Timebase.november)
        return parts.dispatcher
    }

    private func transition(_ minor: UInt16) -> GatewayOutput {
        .change(RegionInstanceID(region: "carts", .minor(major: 1, minor: minor)))
    }

    /// Returns the topics outside the gateway's own.
    private func others(_ items: [Dispatcher.Dispatched]) -> [Message] {
        items.messages.filter { !$0.topic.hasPrefix("beacons/") }
    }

    @Test(
        "No answer goes to topics of other formats: OwnTracks' topic, and the default and set prefix of Home Assistant",
        arguments: [
            ("", ["homeassistant"]), (homeAssistant, ["homeassistant"]),
            (
                "[homeassistant]\ndiscovery_prefix = \"ha\"\n[owntracks]\ntopic = \"owntracks/a/b\"\n",
                ["homeassistant", "ha", "owntracks/a/b"]
            ),
        ])
    func trees(_ tables: String, _ trees: [String]) throws {
        let settings = try Settings.parse("[gateway]\nid = \"door\"\n\(tables)")
        #expect(Integrations.trees(of: Integrations(settings, settings.identity.topics, for: .gateway)) == trees)
    }

    @Test("The device is described when the agent starts, before any radio is there")
    func introduction() throws {
        let dispatcher = try start(Self.homeAssistant)
        let published = others(try dispatcher.introduce(at: .origin, Timebase.november))
        #expect(published.count > 5)
        #expect(published.holdForAll { $0.topic.hasPrefix("homeassistant/") && $0.isRetained && !$0.clearsTopic })
        #expect(try start("", after: dispatcher).introduce(at: .origin, Timebase.november).isEmpty)
    }

    @Test("A process without the table clears all messages of an earlier one, once")
    func switchedOff() throws {
        let first = try start(Self.homeAssistant + Self.carts)
        let published = Set(
            first.introducedTopics
                + ["binary_sensor", "event", "sensor"].map {
                    "homeassistant/\($0)/beacond__beacons__store__door/region__carts/config"
                })
        let next = try start(Self.carts, after: first)
        #expect(Set(next.integrationsCleared) == published)
        try next.tidy(clearedTopics: next.integrationsCleared)
        #expect(try start(Self.carts, after: next).integrationsCleared.isEmpty)
    }

    @Test("Messages that stay valid are not cleared, whichever process sent them")
    func goesOn() throws {
        let expanded = Self.carts + "expand = \"minor\"\n"
        let first = try start(Self.homeAssistant + expanded)
        _ = try first.dispatch([transition(7)], Timebase.november)
        let next = try start(Self.homeAssistant + expanded, after: first)
        #expect(next.integrationsCleared.isEmpty)
        let last = try start(Self.homeAssistant, after: next)
        #expect(last.integrationsCleared.count == 4)
        #expect(last.integrationsCleared.holdForAll { $0.contains("/region__carts") })
    }

    @Test("Another prefix, and another gateway, clear the messages under the previous one")
    func moved() throws {
        let first = try start(Self.homeAssistant)
        let elsewhere = try start("[homeassistant]\ndiscovery_prefix = \"ha\"\n", after: first)
        #expect(elsewhere.integrationsCleared.sorted() == first.introducedTopics.sorted())
        let moved = try start(Self.homeAssistant, id: "till", after: elsewhere)
        let cleared = Set(moved.integrationsCleared)
        #expect(cleared.isSuperset(of: elsewhere.introducedTopics))
        #expect(cleared.isDisjoint(with: moved.introducedTopics))
    }

    @Test(
        "The first instances of an expanded region have entities, in the next process too; an excess is logged once"
    )
    func limit() throws {
        let expanded = Self.carts + "expand = \"minor\"\n"
        let first = try start(Self.homeAssistant + expanded)
        var items = try first.dispatch([1, 2, 3, 4].map(transition), Timebase.november)
        #expect(others(items).map(\.topic).count { $0.contains("/binary_sensor/") } == 2)
        #expect(items.count { if case .entityLimit = $0.content { true } else { false } } == 1)
        items = try first.dispatch([transition(5)], Timebase.november)
        #expect(others(items).isEmpty)
        #expect(!items.contains { if case .entityLimit = $0.content { true } else { false } })
        let next = try start(Self.homeAssistant + expanded, after: first)
        items = try next.dispatch([3, 1].map(transition), Timebase.november)
        #expect(others(items).isEmpty, "The first two hold both places, and have their entities already.")
    }

    @Test("The entities of a forgotten instance are removed, and restored when it comes back")
    func forgotten() throws {
        let dispatcher = try start(Self.homeAssistant + Self.carts + "expand = \"minor\"\n")
        _ = try dispatcher.dispatch([transition(1)], Timebase.november)
        let instance = RegionInstanceID(region: "carts", .minor(major: 1, minor: 1))
        var messages = others(try dispatcher.dispatch([.forgotten([instance], at: .origin)], Timebase.november))
        #expect(messages.count == 3)
        #expect(messages.holdForAll { $0.clearsTopic })
        messages = others(try dispatcher.dispatch([transition(1)], Timebase.november))
        #expect(messages.count == 3)
        // The broker had cleared them meanwhile; the agent still has to remember that they are there again.
        try dispatcher.tidy(clearedTopics: messages.map(\.topic))
        let left = try start("", after: dispatcher).integrationsCleared
        #expect(left.contains { $0.contains("region__carts__1__1") })
    }

    @Test("An event goes out with its transition, again after a restart; its place is cleared once none is published")
    func ownTracks() throws {
        let tables = "[owntracks]\ntopic = \"owntracks/fleet/van\"\n[location]\nsource = \"gpsd\"\n" + Self.carts
        let first = try start(tables)
        let entry = RegionTransition(
            instance: RegionInstanceID(region: "carts"), state: .inside, since: .origin, at: .origin,
            event: RegionEvent(.enter))
        let place = try #require(Coordinate(latitude: 52, longitude: 13))
        let fix = Fix(at: Timebase.november.wallAtOrigin, coordinate: place, horizontalAccuracy_m: 5)
        let placed = PlacedFix(fix: fix, came: .origin, origin: .receiver(device: nil, age: .zero))
        let items = try first.dispatch(
            [
                .transition(entry, record: nil),
                .message(GatewayLocation(placed: placed, service: .standard), at: .origin),
            ],
            Timebase.november)
        #expect(others(items).map(\.topic) == ["owntracks/fleet/van/event", "owntracks/fleet/van"])
        let next = try start(tables, after: first)
        var events = OutboxSource(next) { (.origin, Timebase.november) }
        let waiting = events.next(limit: 10)
        #expect(waiting.flatMap(\.companions).map(\.topic) == ["owntracks/fleet/van/event"])
        #expect(next.integrationsCleared.isEmpty)
        let silent = try start(tables + "[privacy]\nlocation = \"omit\"\n", after: next)
        #expect(silent.integrationsCleared == ["owntracks/fleet/van"])
    }

    @Test("A region that becomes a circle loses its count")
    func becomesCircle() throws {
        let first = try start(Self.homeAssistant + Self.carts)
        let circle = "[[region]]\nid = \"carts\"\nlatitude = 52\nlongitude = 13\nradius_m = 100\n"
        let next = try start(Self.homeAssistant + circle + "[location]\nsource = \"gpsd\"\n", after: first)
        let count = "homeassistant/sensor/beacond__beacons__store__door/region__carts/config"
        try next.tidy(clearedTopics: [count])
        let left = try start("", after: next).integrationsCleared
        #expect(left.contains { $0.contains("/event/") && $0.contains("region__carts") })
        #expect(!left.contains(count))
    }

    @Test("A process without lists, or without telemetry, clears the entities of single beacons that read them")
    func listsEnd() throws {
        let expanded = Self.homeAssistant + Self.carts + "expand = \"minor\"\n"
        let first = try start(expanded + "[beacons]\ntelemetry = true\n")
        _ = try first.dispatch([transition(1)], Timebase.november)
        let same = try start(expanded + "[beacons]\ntelemetry = true\n", after: first)
        #expect(same.integrationsCleared.isEmpty)
        let silent = try start(expanded + "[beacons]\n", after: same)
        let battery = silent.integrationsCleared
        #expect(battery.count == 1 && battery.holdForAll { $0.contains("/battery__carts__1__1/") })
        let without = try start(expanded, after: silent)
        let heard = without.integrationsCleared.filter { !battery.contains($0) }
        #expect(heard.count == 1 && heard.holdForAll { $0.contains("/heard__carts__1__1/") })
    }

    @Test("With a lower limit, instances beyond it lose their entities")
    func lowered() throws {
        let expanded = Self.carts + "expand = \"minor\"\n"
        let first = try start(Self.homeAssistant + expanded)
        _ = try first.dispatch([1, 2].map(transition), Timebase.november)
        let next = try start("[homeassistant]\nmax_instances = 1\n" + expanded, after: first)
        #expect(next.integrationsCleared.count == 3)
        #expect(next.integrationsCleared.holdForAll { $0.contains("region__carts__1__2") })
    }
}

extension Dispatcher {
    fileprivate var introducedTopics: [String] { integrations?.introduction.map(\.topic) ?? [] }

    /// Returns the topics, other than states, that are cleared as this process starts.
    fileprivate var integrationsCleared: [String] {
        (clearances + formerClearances).map(\.topic).filter { !$0.hasPrefix("beacons/") }
    }
}
