import TestAir
import Testing

@testable import Core

@Suite("The description of a gateway for Home Assistant")
struct HomeAssistantTests {
    private func discovery(
        gateway: String = "door", kind: HomeAssistantDiscovery.Kind = .gateway,
        place: HomeAssistantDiscovery.Place = .unpublished
    ) -> HomeAssistantDiscovery {
        HomeAssistantDiscovery(
            prefix: "homeassistant", topics: TopicTree(prefix: "beacons", site: "store", gateway: gateway), kind: kind,
            place: place, version: "1.0.0")
    }

    private let uuid = ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2)

    private func listing(_ lists: BeaconListSettings?, levels: Int = 2) -> HomeAssistantDiscovery {
        HomeAssistantDiscovery(
            prefix: "homeassistant", topics: TopicTree(prefix: "beacons", site: "store", gateway: "door"),
            kind: .gateway, place: .unpublished, expanded: [.init(id: "carts", levels: levels, uuid: uuid)],
            lists: lists,
            version: "1.0.0")
    }

    private func text(_ message: Message) -> String { String(decoding: message.payload, as: UTF8.self) }

    /// Home Assistant's own rule for a discovery topic below its prefix.
    private func isLegal(_ topic: String) -> Bool {
        topic.wholeMatch(of: /homeassistant\/\w+\/[a-zA-Z0-9_-]+\/[a-zA-Z0-9_-]+\/config/) != nil
    }

    @Test("A region has an occupancy, its last event and its count, which read the messages of the contract")
    func region() throws {
        let published = discovery().introduction(of: RegionInstanceID(region: "carts"), isCounted: true)
        #expect(
            published.map(\.topic) == [
                "homeassistant/binary_sensor/beacond__beacons__store__door/region__carts/config",
                "homeassistant/event/beacond__beacons__store__door/region__carts/config",
                "homeassistant/sensor/beacond__beacons__store__door/region__carts/config",
            ])
        #expect(published.holdForAll { $0.isRetained && $0.qos == .atLeastOnce })
        let occupancy = try #require(published.first)
        #expect(
            text(occupancy)
                == #"{"name":"carts","unique_id":"beacond/beacons/store/door/binary_sensor/region__carts","#
                + #""state_topic":"beacons/store/door/region/carts/state","#
                + #""value_template":"{{ {'inside': 'ON', 'outside': 'OFF'}.get(value_json.state, 'None') }}","#
                + #""json_attributes_topic":"beacons/store/door/region/carts/state","#
                + #""json_attributes_template":"{% if value_json is defined %}"#
                + #"{{ {'since': value_json.since} | tojson }}{% else %}{}{% endif %}","#
                + #""device_class":"occupancy","availability_topic":"beacons/store/door/status","#
                + #""availability_template":"{{ value_json.state }}","qos":1,"#
                + #""device":{"identifiers":["beacond/beacons/store/door"],"name":"Gateway door","#
                + #""manufacturer":"beacond","model":"iBeacon gateway","sw_version":"1.0.0","suggested_area":"store"},"#
                + #""origin":{"name":"beacond","sw_version":"1.0.0"}}"#)
    }

    @Test("A circle, a zone, and a region that is not ranged have no count: their beacons are not listed")
    func uncounted() {
        let zone = RegionInstanceID(region: "carts", .major(3), zone: "bakery")
        #expect(discovery().introduction(of: RegionInstanceID(region: "depot"), isCounted: false).count == 2)
        let published = discovery(kind: .store).introduction(of: zone, isCounted: true)
        #expect(published.count == 2)
        #expect(published.holdForAll { text($0).contains(#""name":"carts 3 in bakery"#) })
    }

    @Test(
        "Every name makes a topic that Home Assistant allows",
        arguments: ["käse", "a b", "a.b", "_", "ünïcödé ☃", String(repeating: "x", count: 128), "region", "status"])
    func legalTopics(name: String) {
        let discovery = discovery(gateway: name)
        let published =
            discovery.introduction + discovery.introduction(of: RegionInstanceID(region: name), isCounted: true)
        #expect(published.holdForAll { isLegal($0.topic) && $0.topic.utf8.count <= TopicName.maxTopic_bytes })
        #expect(Set(published.map(\.topic)).count == published.count)
        let readable = published.filter { (try? PayloadFields($0.payload)) != nil }
        #expect(readable.count == published.count)
    }

    @Test("Different names make different topics")
    func differentTopics() {
        let long = String(repeating: "x", count: 127)
        let names = ["a_b", "a/b", "a__b", "a_5fb", "a-b", "a b", "a5fb", "ä", "Ä", long + "a", long + "b"]
        #expect(Set(names.map(HomeAssistantName.level)).count == names.count)
    }

    @Test("A long name is cut, and ends in the beginning of its SHA-256")
    func longName() {
        let level = HomeAssistantName.level(String(repeating: "x", count: 127) + "a")
        #expect(level == String(repeating: "x", count: 55) + "-8e51b7fdabb2b83f")
    }

    @Test("A region may have the name of an entity of the device")
    func ownNames() {
        let discovery = discovery()
        let own = Set(discovery.introduction.map(\.topic))
        for name in ["online", "radio", "outbox", "tracks", "location"] {
            #expect(own.isDisjoint(with: discovery.topics(of: RegionInstanceID(region: name))))
        }
    }

    @Test("An expanded region has an entity for the events of all its instances, from the start on")
    func expandedEvents() {
        let published = listing(nil).introduction.filter { $0.topic.contains("/event/") }
        #expect(published.map(\.topic) == ["homeassistant/event/beacond__beacons__store__door/region__carts/config"])
        let state = #""state_topic":"beacons/store/door/region/carts/+/+/event""#
        #expect(published.map { text($0) }.holdForAll { $0.contains(state) })
    }

    @Test("A count is unavailable while the radio hears nothing: 0 would mean that no beacon is there")
    func deaf() throws {
        let published = discovery().introduction(of: RegionInstanceID(region: "carts"), isCounted: true)
        let count = try #require(published.last)
        #expect(text(count).contains("value_json.state if value_json.radio in ['scanning', 'replay'] else 'offline'"))
    }

    @Test("Its own topics are recognised by the gateway's name in them")
    func describes() {
        let topics = TopicTree(prefix: "beacons", site: "store", gateway: "door")
        #expect(discovery().introduction.holdForAll { HomeAssistantDiscovery.describes($0.topic, topics) })
        let others = discovery(gateway: "till").introduction
        #expect(others.holdForAll { !HomeAssistantDiscovery.describes($0.topic, topics) })
    }

    @Test("Its connectivity is available while it is offline; all other entities are unavailable then")
    func availability() {
        for message in discovery(place: .moving).introduction {
            let isConnection = message.topic.hasSuffix("/online/config")
            #expect(text(message).contains(#""availability_topic":"beacons/store/door/status""#) == !isConnection)
        }
    }

    @Test(
        "A moving gateway is tracked; a fixed one tells the source of its place, and one without a place is not tracked"
    )
    func place() {
        func kinds(_ place: HomeAssistantDiscovery.Place) -> [String] {
            discovery(place: place).introduction.map(\.topic).filter {
                $0.contains("/device_tracker/") || $0.contains("/location/")
            }
        }
        #expect(kinds(.moving).count == 2)
        #expect(kinds(.fixed).count == 1)
        #expect(kinds(.unpublished).isEmpty)
    }

    @Test("A store tells how many of its gateways hear, and no advertising reports")
    func store() {
        let published = discovery(gateway: "site", kind: .store).introduction
        #expect(published.contains { $0.topic.hasSuffix("/gateways/config") })
        #expect(!published.contains { $0.topic.contains("reports") || $0.topic.contains("spoofing") })
        #expect(published.holdForAll { text($0).contains(#""name":"Store store""#) })
    }

    @Test("The topics of a region are those of its descriptions")
    func topics() {
        let instance = RegionInstanceID(region: "carts", .minor(major: 2, minor: 1))
        let published = discovery().introduction(of: instance, isCounted: true).map(\.topic)
        #expect(discovery().topics(of: instance) == published)
    }

    @Test("A beacon of an expanded region has its battery and its last hearing, from the list of beacons")
    func beacon() throws {
        let instance = RegionInstanceID(region: "carts", .minor(major: 2, minor: 1))
        let lists = BeaconListSettings(readsTelemetry: true, reportInterval: .seconds(3_600))
        let published = listing(lists).introduction(of: instance, isCounted: false).suffix(2)
        #expect(
            published.map(\.topic) == [
                "homeassistant/sensor/beacond__beacons__store__door/heard__carts__2__1/config",
                "homeassistant/sensor/beacond__beacons__store__door/battery__carts__2__1/config",
            ])
        #expect(published.holdForAll { text($0).contains(#""state_topic":"beacons/store/door/beacons/+""#) })
        #expect(published.holdForAll { text($0).contains(#""availability_template":"{{ value_json.state }}""#) })
        #expect(published.holdForAll { !text($0).contains("expire_after") })
        let (heard, battery) = (text(try #require(published.first)), text(try #require(published.last)))
        #expect(heard.contains(#""name":"carts 2/1 last heard""#))
        #expect(heard.contains(#""device_class":"timestamp""#))
        let selected = "selectattr('uuid', 'eq', '39ED98FF-2900-441A-802F-9C398FC199D2') | selectattr('major', 'eq', 2)"
        #expect(heard.contains(selected + " | selectattr('minor', 'eq', 1)"))
        #expect(battery.contains(#""name":"carts 2/1 battery""#))
        #expect(battery.contains(#""device_class":"battery","unit_of_measurement":"%","state_class":"measurement""#))
        #expect(listing(lists).topics(of: instance).suffix(2) == published.map(\.topic))
    }

    @Test("There is no battery without telemetry, and neither entity without lists or for anything but one beacon")
    func noBattery() {
        let beacon = RegionInstanceID(region: "carts", .minor(major: 2, minor: 1))
        let lists = BeaconListSettings(readsTelemetry: true, reportInterval: .seconds(3_600))
        let silent = BeaconListSettings(readsTelemetry: false, reportInterval: .seconds(3_600))
        func count(_ discovery: HomeAssistantDiscovery, _ instance: RegionInstanceID) -> Int {
            discovery.topics(of: instance).filter { $0.contains("/heard__") || $0.contains("/battery__") }.count
        }
        #expect(count(listing(silent), beacon) == 1)
        #expect(count(listing(nil), beacon) == 0)
        let others = [
            RegionInstanceID(region: "phones", .minor(major: 2, minor: 1)), RegionInstanceID(region: "carts"),
            RegionInstanceID(region: "carts", .major(2)),
            RegionInstanceID(region: "carts", .minor(major: 2, minor: 1), zone: "bakery"),
        ]
        #expect(others.holdForAll { count(listing(lists), $0) == 0 })
        #expect(count(listing(lists, levels: 1), beacon) == 0)
    }
}
