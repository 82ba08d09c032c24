import Testing

@testable import Core

@Suite("Topics are read as they are made")
struct TopicTests {
    private let tree = TopicTree(prefix: "chain/beacons", site: "store", gateway: "gate")

    private static let instances = ["carts", "region", "event", "7", "Käse 🧀"].flatMap { region in
        [
            RegionInstanceID(region: region), RegionInstanceID(region: region, .major(0)),
            RegionInstanceID(region: region, .minor(major: 7, minor: 65_535)),
        ]
    }

    private static let subjects: [Topic.Subject] =
        MessageKind.allCases.flatMap { kind -> [Topic.Subject] in
            switch kind.scope {
            case .gateway, .store: [.gateway(kind)]
            case .page: [.page(kind, 0), .page(kind, 65_535)]
            case .region: instances.map { .region(kind, $0) }
            case .request: [.response("state")]
            }
        } + [.request("monitor")]

    @Test("A topic gives back its gateway and its subject", arguments: subjects)
    func roundTrip(_ subject: Topic.Subject) throws {
        let topic = tree.topic(subject)
        #expect(tree.subject(of: topic) == subject)
        #expect(Topic(topic, prefix: "chain/beacons") == Topic(subject, of: tree))
        let isEvent = if case .region(.event, _) = subject { true } else { false }
        #expect((TopicTree.root(ofEventTopic: topic) == tree.root) == isEvent)
    }

    @Test(
        "A topic that no gateway makes is refused",
        arguments: [
            "", "/", "beacons", "beacons/", "beacons/store/gate", "beacons/store/gate/", "beacons//gate/status",
            "beacons/store//status", "other/store/gate/status", "beaconsx/store/gate/status",
            "beacons/store/gate/Status",
            "beacons/store/gate/status/", "beacons/store/gate/status/x", "beacons/store/gate/state",
            "beacons/store/gate/region", "beacons/store/gate/region/carts", "beacons/store/gate/region//state",
            "beacons/store/gate/region/carts/status", "beacons/store/gate/region/carts/x/state",
            "beacons/store/gate/region/carts/65536/state", "beacons/store/gate/region/carts/-1/state",
            "beacons/store/gate/region/carts/07/state", "beacons/store/gate/region/carts/+7/state",
            "beacons/store/gate/region/carts/1/2/3/state", "beacons/store/gate/request", "beacons/store/gate/request/",
            "beacons/store/gate/response/state/x", "beacons/store/gate/beacons", "beacons/store/gate/beacons/",
            "beacons/store/gate/beacons/00", "beacons/store/gate/beacons/-1", "beacons/store/gate/beacons/65536",
            "beacons/store/gate/beacons/1/2",
        ])
    func refused(_ topic: String) {
        #expect(Topic(topic, prefix: "beacons") == nil)
    }

    @Test("A topic of another gateway is not the gateway's own")
    func others() {
        #expect(tree.subject(of: "chain/beacons/store/gate2/status") == nil)
        #expect(tree.subject(of: "chain/beacons/store/gat/status") == nil)
    }
}
