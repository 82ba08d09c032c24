import Testing

@testable import Core

/// A store on injected time. Gateways' messages go in as JSON, as from the broker; the store's outputs come out as
/// short lines.
struct Store {
    static let uuid = ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2)
    /// The wall time at the beginning.
    static let start = WallTime(microseconds: 1_795_000_000_000_000)

    private(set) var engine: SiteEngine
    private let topics = TopicTree(prefix: "beacons", site: "store", gateway: "site")
    private let timebase = Timebase(wallAtOrigin: Store.start, isSynced: true)
    private(set) var outputs: [GatewayOutput] = []
    private(set) var refusals: [GatewayMessage.Refusal] = []
    private var changes = 0
    /// The last number of each gateway, and of each of its instances.
    private var seqs: [String: Int] = [:]
    private var instanceSeqs: [String: Int] = [:]

    init(_ toml: String = "", restoring records: [RegionRecord] = [], learned: [StoredLearning] = []) throws {
        let settings = try Settings.parse(toml)
        let site = settings.site ?? settings.siteDefaults
        engine = SiteEngine(
            site, settings.gateway,
            distinguishesDevices: settings.privacy.siteKeyFile != nil,
            restoring: records, learning: StoreLearning(site, .utc, restoring: learned), at: .origin, outputs: &outputs)
    }

    /// The name of an epoch, a ULID, that began at that time.
    static func epoch(beganAt_s t_s: Double) -> String {
        let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let milliseconds = (start + .seconds(t_s)).microseconds / 1_000
        let time = (0..<10).reversed().map { digits[Int(milliseconds >> Int64(5 * $0) & 31)] }
        return String(time) + String(repeating: "Z", count: 16)
    }

    /// The table of a gateway in the store's configuration.
    static func gateway(
        _ id: String, zone: String? = nil, at place: (Double, Double)? = nil, floor: Int = 0
    ) -> String {
        "\n[[site.gateway]]\nid = \"\(id)\"" + (zone.map { "\nzone = \"\($0)\"" } ?? "")
            + (place.map { "\nposition = [\($0.0), \($0.1)]\nfloor = \(floor)" } ?? "")
    }

    /// A gateway has a beacon inside from 10 s on, perhaps beside another one, and is offline from 20 s on.
    ///
    /// - Parameter back_s: when it is online again.
    static func away(beside other: String? = nil, until back_s: Double? = nil) throws -> Store {
        var store = try Store()
        store.enter("a", at: 10)
        if let other { store.enter(other, at: 11) }
        store.status("a", online: false, at: 20)
        if let back_s { store.status("a", at: back_s) }
        return store
    }

    // MARK: - Gateways' messages

    /// Any message, at its arrival.
    mutating func say(
        _ gateway: String, _ topic: String, _ payload: String, isRetained: Bool = false, at t_s: Double
    ) {
        advance(to: t_s)
        do throws(GatewayMessage.Refusal) {
            let message = try GatewayMessage(
                topic: "beacons/store/\(gateway)/\(topic)", payload: Array(payload.utf8), store: topics,
                learns: engine.settings.learns)
            engine.receive(
                message, at: .origin + .seconds(t_s), timebase, isRetained: isRetained, outputs: &outputs)
            check()
        } catch {
            refusals.append(error)
        }
    }

    mutating func status(
        _ gateway: String, online: Bool = true, radio: String = "scanning", epoch: String = "E", at t_s: Double
    ) {
        say(
            gateway, "status",
            head(t_s, isSynced: true)
                + #""state":"\#(online ? "online" : "offline")","version":"1","epoch":"\#(epoch)","radio":"\#(radio)","remedy":""}"#,
            at: t_s)
    }

    /// A gateway that is a beacon.
    mutating func advertise(_ gateway: String, minor: Int, at t_s: Double) {
        say(
            gateway, "status",
            head(t_s, isSynced: true)
                + #""state":"online","version":"1","epoch":"E","radio":"scanning","remedy":"","advertises":{"uuid":"\#(Self.uuid)","major":7,"minor":\#(minor),"measured_power_dbm":-59}}"#,
            at: t_s)
    }

    /// A gateway's list of the gateways that it hears, by minor and level. An MQTT 5 broker leaves the retain flag on it.
    ///
    /// - Parameter told_s: its `at`, where that is not its arrival.
    mutating func beacons(
        _ gateway: String, _ heard: [(minor: Int, level_dbm: Int)], isSynced: Bool = true, told_s: Double? = nil,
        at t_s: Double
    ) {
        let time = Self.text(t_s)
        let listed = heard.map { minor, level_dbm in
            #"{"uuid":"\#(Self.uuid)","major":7,"minor":\#(minor),"first_heard_at":"\#(time)","last_heard_at":"\#(time)","interval_ms":100,"rssi_dbm":\#(level_dbm)}"#
        }
        say(
            gateway, "beacons/0",
            head(told_s ?? t_s, isSynced: isSynced)
                + #""page":0,"pages":1,"beacons":[\#(listed.joined(separator: ","))]}"#, isRetained: true, at: t_s)
    }

    /// A zone map, as from the broker.
    ///
    /// - Returns: what of it does not count.
    @discardableResult
    mutating func use(_ map: ZoneMap?, at t_s: Double) -> String? {
        advance(to: t_s)
        return engine.use(map, at: .origin + .seconds(t_s), outputs: &outputs)
    }

    /// The last report of learned offsets.
    var learned: LearnedReport? { outputs.reversed().lazy.compactMap { $0.content(LearnedUpdate.self)?.report }.first }

    /// - Parameters:
    /// - told_s: its `at`, where that is not its arrival.
    /// - seq: the number of the event; the gateway's next one where none is given.
    mutating func enter(
        _ gateway: String, _ region: String = "carts", minor: Int = 1, rssi: Double = -60, told_s: Double? = nil,
        isSynced: Bool = true, seq: Int? = nil, epoch: String = "E", at t_s: Double
    ) {
        let number = self.seq(gateway, region, seq)
        say(
            gateway, "region/\(region)/event",
            head(told_s ?? t_s, isSynced: isSynced)
                + #""site":"store","gateway":"\#(gateway)","epoch":"\#(epoch)","seq":\#(number),"type":"enter","region":"\#(Self.id(region))","#
                + beacon(minor, rssi) + "}", at: t_s)
    }

    mutating func exit(
        _ gateway: String, _ region: String = "carts", minor: Int = 1, entered_s: Double, heard_s: Double,
        told_s: Double? = nil, isSynced: Bool = true, extra: String = "", seq: Int? = nil, epoch: String = "E",
        at t_s: Double
    ) {
        let number = self.seq(gateway, region, seq)
        say(
            gateway, "region/\(region)/event",
            head(told_s ?? t_s, isSynced: isSynced)
                + #""site":"store","gateway":"\#(gateway)","epoch":"\#(epoch)","seq":\#(number),"type":"exit","region":"\#(Self.id(region))","#
                + beacon(minor, nil)
                + #","entered_at":"\#(Self.text(entered_s))","last_heard_at":"\#(Self.text(heard_s))","#
                + #""dwell_s":\#(heard_s - entered_s)\#(extra)}"#, at: t_s)
    }

    /// - Parameter seq: the event that it names; the instance's last one where none is given.
    mutating func state(
        _ gateway: String, _ state: String, _ region: String = "carts", since_s: Double? = nil, told_s: Double? = nil,
        seq: Int? = nil, epoch: String = "E", isRetained: Bool = false, at t_s: Double
    ) {
        say(
            gateway, "region/\(region)/state",
            head(told_s ?? t_s, isSynced: true)
                + #""epoch":"\#(epoch)","region":"\#(Self.id(region))","state":"\#(state)","since":"\#(Self.text(since_s ?? told_s ?? t_s))","event_seq":\#(seq ?? instanceSeqs[gateway + "/" + region] ?? 0)}"#,
            isRetained: isRetained, at: t_s)
    }

    /// A gateway's list, by minor and level.
    ///
    /// - Parameter areDuplicates: whether the devices are marked as several of one identity.
    mutating func list(
        _ gateway: String, _ beacons: [Int: Double], _ region: String = "carts", told_s: Double? = nil,
        devices: [Int: String] = [:], areDuplicates: Bool = true, measuredPower_dbm: Int = -59, age_ms: Int = 0,
        at t_s: Double
    ) {
        let listed = beacons.sorted { $0.key < $1.key }.map { minor, rssi in
            #"{"track":1,"# + beacon(minor % 100, rssi, hasDistance: measuredPower_dbm == -59)
                + #","measured_power_dbm":\#(measuredPower_dbm),"age_ms":\#(age_ms)"#
                + (devices[minor].map { #","device":"\#($0)""# + (areDuplicates ? #","duplicate":true"# : "") } ?? "")
                + "}"
        }
        say(
            gateway, "region/\(region)/ranging",
            head(told_s ?? t_s, isSynced: true)
                + #""region":"\#(Self.id(region))","count":\#(listed.count),"beacons":[\#(listed.joined(separator: ","))]}"#,
            at: t_s)
    }

    /// Once a second, every gateway's list.
    mutating func list(
        _ levels: [String: Double], from start_s: Double, to end_s: Double, region: String = "carts"
    ) {
        var t_s = start_s
        while t_s <= end_s {
            for (gateway, level) in levels.sorted(by: { $0.key < $1.key }) {
                list(gateway, [1: level], region, at: t_s)
            }
            t_s += 1
        }
    }

    /// Once a second, one gateway's list in each of these regions.
    mutating func list(_ gateway: String, _ beacons: [Int: Double], _ regions: [String], seconds: Range<Int>) {
        for second in seconds { for region in regions { list(gateway, beacons, region, at: Double(second)) } }
    }

    mutating func advance(to t_s: Double) {
        // Bounded, so that a mistake is a failure and not a test that never ends.
        for _ in 0..<100_000 {
            guard engine.advance(before: .origin + .seconds(t_s), outputs: &outputs) != nil else { return }
            check()
        }
    }

    /// Checks the engine's state after each of the first changes, and then after one of 1,000, because it goes through
    /// everything.
    private mutating func check() {
        changes += 1
        guard changes <= 50 || changes % 1_000 == 0 else { return }
        for broken in engine.checkInvariants() { Issue.record("\(broken), at \(engine.now)") }
    }

    private mutating func seq(_ gateway: String, _ region: String, _ given: Int?) -> Int {
        let seq = given ?? (seqs[gateway] ?? 0) + 1
        instanceSeqs[gateway + "/" + region] = seq
        seqs[gateway] = max(seq, seqs[gateway] ?? 0)
        return seq
    }

    private static func id(_ region: String) -> String { String(region.prefix { $0 != "/" }) }

    private func head(_ t_s: Double, isSynced: Bool) -> String {
        #"{"schema":1,"at":"\#(Self.text(t_s))","clock":"\#(isSynced ? "synced" : "unsynced")","#
    }

    private func beacon(_ minor: Int, _ rssi: Double?, hasDistance: Bool = true) -> String {
        #""uuid":"\#(Self.uuid)","major":1,"minor":\#(minor),"rssi_dbm":\#(rssi.map { "\($0)" } ?? "null"),"#
            + (rssi == nil || !hasDistance
                ? #""accuracy_m":-1,"accuracy_error_m":-1,"proximity":"unknown""#
                : #""accuracy_m":2,"accuracy_error_m":1,"proximity":"near""#)
    }

    private static func text(_ t_s: Double) -> String { Timestamp.text(start + .seconds(t_s)) }

    // MARK: - The store's outputs

    private var all: [RegionTransition] {
        outputs.compactMap { output in
            if case .transition(let transition, _) = output { transition } else { nil }
        }
    }

    /// The transitions of whole regions.
    private var transitions: [RegionTransition] { all.filter { $0.instance.zone == nil } }

    private var zoneTransitions: [RegionTransition] { all.filter { $0.instance.zone != nil } }

    /// Events of zones: `enter carts/zone/door 10.0 by a`.
    var zoneEvents: [String] { Self.events(zoneTransitions) }

    /// Events of zones without their times: `enter carts/zone/door`.
    var zoneWords: [String] { zoneEvents.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } }
    var zoneStates: [String] { Self.states(zoneTransitions) }

    /// All transitions, of regions and zones.
    var allEvents: [String] { Self.events(all) }

    /// Events as short lines: `enter carts 10.0 by a`.
    var events: [String] { Self.events(transitions) }

    /// States as short lines: `inside carts 10.0`.
    var states: [String] { Self.states(transitions) }

    private static func events(_ transitions: [RegionTransition]) -> [String] {
        transitions.compactMap { transition in
            transition.event.map {
                "\($0.kind == .enter ? "enter" : "exit") \(name(transition.instance)) \(tenths(transition.at)) by \($0.gateway ?? "-")"
            }
        }
    }

    private static func states(_ transitions: [RegionTransition]) -> [String] {
        transitions.map { "\($0.state.rawValue) \(name($0.instance)) \(tenths($0.since))" }
    }

    /// The beacons that events of regions name.
    var identities: [BeaconIdentity] {
        transitions.compactMap { transition in
            if case .beacon(let identity, _)? = transition.event?.cause { identity } else { nil }
        }
    }

    /// The minors that events of zones name, each with its zone: `1 door`.
    var zoneIdentities: [String] {
        zoneTransitions.compactMap { transition in
            guard case .beacon(let identity, _)? = transition.event?.cause else { return nil }
            return "\(identity.minor) \(transition.instance.zone ?? "")"
        }
    }

    /// The levels that events of zones tell.
    var zoneLevels: [Double?] {
        zoneTransitions.compactMap { transition in
            if case .beacon(_, let observation)? = transition.event?.cause { observation.rssi_dbm } else { nil }
        }
    }

    /// The beacons that are in any region.
    var placedBeacons: Int {
        let beacons = engine.placing.beacons
        return beacons.slots.count { !beacons[$0].regions.isEmpty }
    }

    /// The outputs of regions: events, and the visits that exits end.
    var published: [String] { events + stays.map { "\(Self.tenths($0.enteredAt))–\(Self.tenths($0.lastHeardAt))" } }

    /// The stays in zones that exits have ended.
    var zoneStays: [RegionStay] { Self.stays(zoneTransitions) }

    /// The stays in one zone that exits have ended.
    func zoneStays(in zone: String) -> [RegionStay] { Self.stays(zoneTransitions.filter { $0.instance.zone == zone }) }

    /// The stays that exits have ended.
    var stays: [RegionStay] { Self.stays(transitions) }

    private static func stays(_ transitions: [RegionTransition]) -> [RegionStay] {
        transitions.compactMap { transition in
            if case .exit(let stay)? = transition.event?.kind { stay } else { nil }
        }
    }

    /// The lines of the log.
    var notices: [String] {
        outputs.compactMap { output in
            if case .notice(let notice, _) = output { notice.description } else { nil }
        }
    }

    /// The visits that exits of regions have ended, late ones included, by instance and entry:
    /// `carts/1/1 10.0–35.0, heard until 30.0`.
    var visits: [String] {
        outputs.compactMap { output -> (String, Instant, String)? in
            let (id, event, at): (RegionInstanceID, RegionEvent?, Instant)
            switch output {
            case .transition(let transition, _):
                (id, event, at) = (transition.instance, transition.event, transition.at)
            case .exit(let instance, let exit, let instant) where exit.lateStay != nil:
                (id, event, at) = (instance, exit, instant)
            default: return nil
            }
            guard id.zone == nil, case .exit(let stay)? = event?.kind else { return nil }
            let times =
                "\(Self.tenths(stay.enteredAt))–\(Self.tenths(at)), heard until \(Self.tenths(stay.lastHeardAt))"
            return (Self.name(id), stay.enteredAt, times)
        }
        .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        .map { "\($0.0) \($0.2)" }
    }

    /// The late visits, in the order in which they were published.
    var lateVisits: [String] {
        outputs.compactMap { output in
            guard case .exit(let id, let event, let at) = output, let stay = event.lateStay else {
                return nil
            }
            return "\(Self.name(id)) \(Self.tenths(stay.enteredAt))–\(Self.tenths(at)) by \(event.gateway ?? "-")"
        }
    }

    /// Whether a state was cleared.
    var hasForgotten: Bool {
        outputs.contains { output in
            if case .forgotten = output { true } else { false }
        }
    }

    /// The instances whose states were cleared.
    var forgotten: [String] {
        outputs.flatMap { output -> [String] in
            guard case .forgotten(let instances, _) = output else { return [] }
            return instances.map(Self.name)
        }
    }

    /// The entries held back.
    var surges: [EntryBudget.Surge] {
        outputs.compactMap { output in
            output.content(EntryBudget.Surge.self)
        }
    }

    /// Whether a stay was ended without an exit.
    var hasEnded: Bool {
        outputs.contains { output in
            if case .exit(_, let event, _) = output { event.lateStay == nil } else { false }
        }
    }

    /// The last list.
    var listed: ListedBeacons? {
        for output in outputs.reversed() { if let list = output.content(ListedBeacons.self) { return list } }
        return nil
    }

    static func name(_ id: RegionInstanceID) -> String {
        ([id.region] + [id.major, id.minor].compactMap { $0.map(String.init) } + (id.zone.map { ["zone", $0] } ?? []))
            .joined(separator: "/")
    }

    static func tenths(_ instant: Instant) -> String {
        let tenths = (instant - .origin).seconds * 10
        return "\(tenths.rounded() / 10)"
    }
}
