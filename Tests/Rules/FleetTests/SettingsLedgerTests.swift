import Testing

@testable import Core

/// A gateway with a ledger, whose file has one key with an error on demand.
struct FleetGateway {
    static let key = Ed25519PublicKey(pem: Array(Ed25519Tests.pem.utf8))
    var ledger = SettingsLedger()
    var now = Instant.origin + .seconds(100)
    var bootID = "boot-1"
    var signer: Ed25519PublicKey?
    var name = "berlin-7/door"
    /// The text of its `config.toml`.
    var file = ""

    /// Receives a message, with the rules of the real configuration.
    mutating func receive(_ text: String) -> SettingsLedger.Decision { receive(Array(text.utf8)) }

    mutating func receive(_ octets: [UInt8]?) -> SettingsLedger.Decision {
        ledger.receive(octets, for: name, signer: signer, at: now, bootID: bootID, trial: trial)
    }

    func trial(_ tables: [String: DocumentValue]) -> ConfigurationErrors? {
        do throws(ConfigurationErrors) {
            return try Settings.read(utf8: Array(file.utf8), replacing: tables).settings.excess(of: tables)
        } catch {
            return error
        }
    }

    /// Ends the process, and begins another from the stored octets.
    mutating func restart(orderly: Bool) throws {
        if orderly { _ = ledger.end() }
        ledger = try SettingsLedger(stored: ledger.stored)
        _ = ledger.begin(at: now, bootID: bootID)
    }

    var level: DocumentValue? {
        guard case .object(let log)? = ledger.tables["log"] else { return nil }
        return log["level"]
    }
}

@Suite("Settings over MQTT are taken, refused and taken back")
struct SettingsLedgerTests {
    private static func debug(_ version: Int, _ level: String = "debug") -> String {
        #"{"schema":1,"version":\#(version),"tables":{"log":{"level":"\#(level)"}}}"#
    }

    @Test("A message with a higher version is taken, reported, and in effect after the next start")
    func taken() throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(7)) == .taken)
        #expect(gateway.ledger.version == 7 && gateway.level == .string("debug"))
        #expect(gateway.ledger.report == SettingsReport(version: 7, outcome: .applied))
        try gateway.restart(orderly: true)
        #expect(gateway.ledger.version == 7 && gateway.level == .string("debug"))
    }

    /// A message with so many regions.
    private static func regions(_ count: Int, limit: Int, version: Int) -> String {
        let uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
        let tables = (1...count).map { #"{"id":"r\#($0)","uuid":"\#(uuid)"}"# }.joined(separator: ",")
        return
            #"{"schema":1,"version":\#(version),"tables":{"regions":{"max_regions":\#(limit)},"region":[\#(tables)]}}"#
    }

    @Test("More regions than are monitored are refused with the limit's key, not applied in part")
    func tooManyRegions() throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.regions(4, limit: 3, version: 1)) == .refused)
        let error = try #require(gateway.ledger.report?.errors.first)
        #expect(error.table == "regions" && error.key == "max_regions")
        #expect(
            error.reason == "3: must be at least 4, the number of [[region]] tables: the others would not be monitored")
        #expect(gateway.receive(Self.regions(4, limit: 4, version: 2)) == .taken)
    }

    private static let people = "39ED98FF-2900-441A-802F-9C398FC199D2"

    @Test(
        "Settings publish no more about people than the gateway's own file",
        arguments: [
            #""region":[]"#,
            #""region":[{"id":"a","uuid":"\#(people)"}]"#,
            #""region":[{"id":"visitors","uuid":"\#(people)","people":true,"count_minimum":4}]"#,
            #""region":[{"id":"visitors","uuid":"\#(people)","people":true,"major":8}]"#,
            #""regions":{"count_minimum":4}"#,
            #""regions":{"exit_after_s":1}"#,
            #""regions":{"exit_after_s":45}"#,
            #""region":[{"id":"guests","uuid":"\#(people)","people":true,"major":7}]"#,
            #""regions":{"entry_rssi_dbm":-53,"exit_rssi_dbm":-53}"#,
        ])
    func exposesPeople(tables: String) throws {
        var gateway = FleetGateway()
        gateway.file = "[[region]]\nid = \"visitors\"\nuuid = \"\(Self.people)\"\nmajor = 7\npeople = true\n"
        #expect(gateway.receive(#"{"schema":1,"version":1,"tables":{\#(tables)}}"#) == .refused)
        let error = try #require(gateway.ledger.report?.errors.first)
        #expect(error.table == "region")
        #expect(
            error.reason
                == "must keep region \"visitors\" with people = true, its expand and its keys, and a count_minimum that is not below its own: "
                + "only config.toml of the gateway may publish more about its people")
    }

    @Test(
        "Settings lower no limit beside people, which would show in health, and make the radio hear them no worse",
        arguments: [
            (#""regions":{"max_instances":100}"#, "100: must be at least 16384, as in the file"),
            (#""regions":{"max_newcomers_per_minute":1}"#, "1: must be at least 600, as in the file"),
            (#""radio":{"max_transmitters":64}"#, "64: must be at least 8192, as in the file"),
            (#""radio":{"interval_ms":10240,"window_ms":30}"#, "must be as in the file beside a region of people"),
            (#""smoothing":{"region_filter":"none"}"#, "must be as in the file beside a region of people"),
            (#""rotation":{"resolve_after_s":3600}"#, "must be as in the file beside a region of people"),
        ])
    func lowersNoLimit(tables: String, reason: String) throws {
        var gateway = FleetGateway()
        gateway.file = "[[region]]\nid = \"visitors\"\nuuid = \"\(Self.people)\"\nmajor = 7\npeople = true\n"
        let own = #""region":[{"id":"visitors","uuid":"\#(Self.people)","major":7,"people":true}],"#
        #expect(gateway.receive(#"{"schema":1,"version":1,"tables":{\#(own)\#(tables)}}"#) == .refused)
        let error = try #require(gateway.ledger.report?.errors.first)
        #expect(error.reason.hasPrefix(reason), "\(error.reason)")
    }

    @Test(
        "Beside people a file without a limit of newcomers allows no limit over MQTT",
        arguments: [(0, true), (600, false)])
    func keepsNoLimit(limit: Int, isTaken: Bool) throws {
        var gateway = FleetGateway()
        gateway.file =
            "[regions]\nmax_newcomers_per_minute = 0\n[[region]]\nid = \"visitors\"\nuuid = \"\(Self.people)\"\nmajor = 7\npeople = true\n"
        let tables =
            #""region":[{"id":"visitors","uuid":"\#(Self.people)","major":7,"people":true}],"regions":{"max_newcomers_per_minute":\#(limit)}"#
        #expect(gateway.receive(#"{"schema":1,"version":1,"tables":{\#(tables)}}"#) == (isTaken ? .taken : .refused))
        guard !isTaken else { return }
        let error = try #require(gateway.ledger.report?.errors.first)
        #expect(error.reason.hasPrefix("600: must be 0, as in the file, beside a region of people"), "\(error.reason)")
    }

    @Test(
        "Settings may count more people together, and publish less about them",
        arguments: [
            #""region":[{"id":"visitors","uuid":"\#(people)","people":true}]"#,
            #""region":[{"id":"visitors","uuid":"\#(people)","major":7,"people":true,"count_minimum":9}]"#,
            #""regions":{"count_minimum":5}"#,
            #""regions":{"max_newcomers_per_minute":0,"max_instances":65536}"#,
            #""log":{"level":"debug"}"#,
        ])
    func keepsPeople(tables: String) {
        var gateway = FleetGateway()
        gateway.file = "[[region]]\nid = \"visitors\"\nuuid = \"\(Self.people)\"\nmajor = 7\npeople = true\n"
        #expect(gateway.receive(#"{"schema":1,"version":1,"tables":{\#(tables)}}"#) == .taken)
    }

    @Test(
        "Without a usable version a message is refused, and reported with none",
        arguments: [
            "nonsense", "[]", #"{"schema":1,"tables":{}}"#, #"{"schema":1,"version":0,"tables":{}}"#,
            #"{"schema":1,"version":"9","tables":{}}"#, #"{"schema":1,"version":1.5,"tables":{}}"#,
            #"{"schema":1,"version":9007199254740992,"tables":{}}"#,
        ])
    func noVersion(text: String) {
        var gateway = FleetGateway()
        #expect(gateway.receive(text) == .refused)
        #expect(gateway.ledger.report?.version == nil && gateway.ledger.report?.outcome == .refused)
    }

    @Test(
        "A version that is not higher is ignored, also one of an older message that a broker repeats",
        arguments: [7, 6, 1])
    func notHigher(version: Int) {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(7)) == .taken)
        #expect(gateway.receive(Self.debug(version, "error")) == .ignored)
        #expect(gateway.level == .string("debug"))
    }

    @Test("An empty message changes nothing: a new broker has no settings")
    func empty() {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(7)) == .taken)
        #expect(gateway.receive("") == .ignored)
        #expect(gateway.ledger.version == 7)
    }

    @Test("Empty tables return to the file alone, under their version")
    func cleared() {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(7)) == .taken)
        #expect(gateway.receive(#"{"schema":1,"version":8,"tables":{}}"#) == .taken)
        #expect(gateway.ledger.version == 8 && gateway.ledger.tables.isEmpty)
    }

    @Test("One error refuses the whole message, all errors are reported, and the version stays free")
    func refused() throws {
        var gateway = FleetGateway()
        let text = #"""
            {"schema":1,"version":7,"tables":{"log":{"level":"debug"},"regions":{"exit_after_s":-5},"mqtt":{"url":"mqtt://evil"},
             "region":[{"id":"a","uuid":"39ED98FF-2900-441A-802F-9C398FC199D2"},{"id":"b","uuid":"x","colour":"red"}]}}
            """#
        #expect(gateway.receive(text) == .refused)
        #expect(gateway.ledger.version == nil)
        let report = try #require(gateway.ledger.report)
        #expect(report.version == 7 && report.outcome == .refused)
        let places = report.errors.map { "\($0.table) \($0.index ?? 0) \($0.key)" }
        #expect(Set(places) == ["mqtt 0 ", "regions 0 exit_after_s", "region 2 uuid", "region 2 colour"])
        #expect(report.errors.allSatisfy { !$0.reason.isEmpty && !$0.remedy.isEmpty })
        #expect(gateway.receive(text) == .ignored, "a repetition says nothing new")
        #expect(gateway.receive(Self.debug(7)) == .taken)
    }

    @Test(
        "A message that is none is refused, and names the version where it has one",
        arguments: [
            ("{", nil, ""), ("[]", nil, ""), ("null", nil, ""), (#"{"schema":1,"tables":{}}"#, nil, "version"),
            (#"{"schema":1,"version":0,"tables":{}}"#, nil, "version"),
            (#"{"schema":1,"version":1.5,"tables":{}}"#, nil, "version"),
            (#"{"schema":1,"version":9007199254740992,"tables":{}}"#, nil, "version"),
            (#"{"schema":2,"version":7,"tables":{}}"#, 7, "schema"), (#"{"version":7,"tables":{}}"#, 7, "schema"),
            (#"{"schema":1,"version":7}"#, 7, "tables"), (#"{"schema":1,"version":7,"tables":[]}"#, 7, "tables"),
            (#"{"schema":1,"version":7,"tables":{"log":{"level":null}}}"#, 7, ""),
            (#"{"schema":1,"version":7,"tables":{"log":[]}}"#, 7, ""),
            (#"{"schema":1,"version":7,"tables":{},"tables":{}}"#, nil, ""),
        ] as [(String, Int64?, String)])
    func noMessage(text: String, version: Int64?, key: String) throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(text) == .refused)
        let report = try #require(gateway.ledger.report)
        #expect(report.version == version && report.errors.first?.key == key && gateway.ledger.tables.isEmpty)
    }

    @Test(
        "A message can name no file to write figures into but one that node_exporter reads",
        arguments: [
            ("/etc/beacond/config.toml", false), ("/var/lib/beacond/outbox.sqlite", false), ("", true),
            ("/run/beacond.prom", true),
        ])
    func foreignFile(path: String, isTaken: Bool) {
        var gateway = FleetGateway()
        let text = #"{"schema":1,"version":7,"tables":{"health":{"textfile":"\#(path)"}}}"#
        #expect(gateway.receive(text) == (isTaken ? .taken : .refused))
    }

    @Test("A mistyped secret of a device is in no report")
    func mistypedSecret() throws {
        var gateway = FleetGateway()
        let secret = "00112233445566778899aabbccddeeff"
        for device in [#"{"name":"x","irc":"\#(secret)"}"#, #""\#(secret)""#] {
            #expect(gateway.receive(#"{"schema":1,"version":7,"tables":{"device":[\#(device)]}}"#) == .refused)
            #expect(!String(decoding: gateway.ledger.stored, as: UTF8.self).contains(secret))
        }
    }

    @Test("A ledger with the longest messages, whose numbers become longer in it, is below its limit")
    func longLedger() throws {
        var gateway = FleetGateway()
        let region = #"{"radius_m":1e20,"id":"a"}"#
        let regions = Array(repeating: region, count: 262_000 / (region.utf8.count + 1)).joined(separator: ",")
        for version in 1...6 {
            _ = gateway.ledger.receive(
                Array(#"{"schema":1,"version":\#(version),"tables":{"region":[\#(regions)]}}"#.utf8), for: gateway.name,
                signer: nil, at: gateway.now, bootID: gateway.bootID, trial: { _ in nil })
        }
        #expect(gateway.ledger.version == 6 && gateway.ledger.stored.count > 2 * DesiredSettings.maxOctets)
        #expect(gateway.ledger.stored.count < SettingsLedger.maxOctets)
        #expect(try SettingsLedger(stored: gateway.ledger.stored) == gateway.ledger)
    }

    @Test("A message beyond 256 KiB is refused, and the next one is taken")
    func tooLong() {
        var gateway = FleetGateway()
        #expect(gateway.receive(nil as [UInt8]?) == .refused)
        #expect(gateway.receive([UInt8](repeating: 0x20, count: DesiredSettings.maxOctets + 1)) == .ignored)
        #expect(gateway.ledger.report?.errors.first?.reason.contains("262144") == true)
        #expect(gateway.receive(Self.debug(1)) == .taken)
    }

    @Test("Of 10,000 wrong regions the first 100 errors are reported, and the rest are counted")
    func manyErrors() throws {
        var gateway = FleetGateway()
        let regions = (0..<5_000).map { _ in "{\"id\":\"\"}" }.joined(separator: ",")
        #expect(gateway.receive(#"{"schema":1,"version":7,"tables":{"region":[\#(regions)]}}"#) == .refused)
        let report = try #require(gateway.ledger.report)
        #expect(report.errors.count == 100 && report.omitted >= 4_900)
    }

    // MARK: - Reversion

    @Test(
        "After two abnormal ends within ten minutes the settings before are in effect, and that version is taken no more"
    )
    func reverted() throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(6, "notice")) == .taken)
        gateway.now = gateway.now + .seconds(601)
        #expect(gateway.ledger.advance(to: gateway.now) == true)
        #expect(gateway.receive(Self.debug(7)) == .taken)
        try gateway.restart(orderly: false)
        #expect(gateway.ledger.version == 7, "one abnormal end")
        try gateway.restart(orderly: false)
        #expect(gateway.ledger.version == 6 && gateway.level == .string("notice"))
        #expect(gateway.ledger.report?.outcome == .reverted && gateway.ledger.report?.version == 7)
        #expect(gateway.receive(Self.debug(7)) == .ignored)
        #expect(gateway.receive(Self.debug(8)) == .taken)
    }

    @Test("Without settings before, the file alone is in effect after a reversion")
    func revertedToFile() throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(7)) == .taken)
        for _ in 0..<2 { try gateway.restart(orderly: false) }
        #expect(gateway.ledger.version == nil && gateway.ledger.tables.isEmpty)
    }

    @Test("Settings on probation that others replaced are watched again after a reversion to them")
    func twiceReverted() throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(6, "notice")) == .taken)
        #expect(gateway.receive(Self.debug(7)) == .taken)
        for _ in 0..<2 { try gateway.restart(orderly: false) }
        #expect(gateway.ledger.version == 6)
        for _ in 0..<2 { try gateway.restart(orderly: false) }
        #expect(gateway.ledger.version == nil && gateway.ledger.report?.version == 6)
    }

    @Test("Ends in order never take settings back")
    func orderlyEnds() throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(7)) == .taken)
        for _ in 0..<5 { try gateway.restart(orderly: true) }
        try gateway.restart(orderly: false)
        #expect(gateway.ledger.version == 7)
    }

    @Test("Settings that have worked for ten minutes are kept, however often the process ends abnormally then")
    func settled() throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(7)) == .taken)
        try gateway.restart(orderly: false)
        gateway.now = gateway.now + .seconds(599)
        #expect(gateway.ledger.advance(to: gateway.now) == false)
        gateway.now = gateway.now + .seconds(1)
        #expect(gateway.ledger.advance(to: gateway.now) == true)
        for _ in 0..<5 { try gateway.restart(orderly: false) }
        #expect(gateway.ledger.version == 7)
    }

    @Test("After a reboot the ten minutes begin again, because the time between two boots is not known")
    func rebooted() throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(7)) == .taken)
        (gateway.now, gateway.bootID) = (.origin + .seconds(5), "boot-2")
        try gateway.restart(orderly: false)
        #expect(gateway.ledger.advance(to: gateway.now + .seconds(599)) == false)
        #expect(gateway.ledger.advance(to: gateway.now + .seconds(600)) == true)
    }

    // MARK: - The file

    @Test("Stored tables that do not fit the file any more are reported, and taken again once they fit")
    func misfit() throws {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.debug(7)) == .taken)
        let errors = ConfigurationErrors(ConfigurationError(key: "log.level", value: nil, requirement: "is gone"))
        #expect(gateway.ledger.record(misfit: errors) == true)
        #expect(gateway.ledger.record(misfit: errors) == false)
        #expect(gateway.ledger.report?.outcome == .refused && gateway.ledger.version == 7)
        #expect(gateway.ledger.record(misfit: nil) == true)
        #expect(gateway.ledger.report == SettingsReport(version: 7, outcome: .applied))
    }

    @Test("A stored ledger is read as it was written, with watched revisions and reports")
    func stored() throws {
        var gateway = FleetGateway()
        #expect(try SettingsLedger(stored: gateway.ledger.stored) == gateway.ledger)
        #expect(gateway.receive(Self.debug(6)) == .taken)
        #expect(gateway.receive(Self.debug(7)) == .taken)
        #expect(gateway.receive("{") == .refused)
        #expect(try SettingsLedger(stored: gateway.ledger.stored) == gateway.ledger)
        gateway.now = gateway.now + .seconds(600)
        #expect(gateway.ledger.advance(to: gateway.now) == true)
        #expect(try SettingsLedger(stored: gateway.ledger.stored) == gateway.ledger)
    }

    @Test("A damaged file is an error, at each octet where it is cut and for each octet that is changed")
    func damaged() {
        var gateway = FleetGateway()
        _ = gateway.receive(Self.debug(7))
        let stored = gateway.ledger.stored
        for length in 0..<stored.count {
            #expect(throws: PayloadError.self) { try SettingsLedger(stored: Array(stored.prefix(length))) }
        }
        for index in stored.indices {
            var changed = stored
            changed[index] ^= 0x80
            #expect(throws: PayloadError.self) { try SettingsLedger(stored: changed) }
        }
    }

    // MARK: - Signatures

    @Test(
        "With a signer, a message for this gateway, its site or all gateways is taken if its owner has signed it",
        arguments: [
            (nil, "WP9STWtMRlm4/EGqPgB2iONTfamjkeoQ0GNVAlLu7QqcC/GCbmyvupmT7+1Q+92IevekNI+4UXiIYr88+SnbDQ=="),
            ("berlin-7/*", "/8ddrzBsvfPUgW9nBoqZj0JPFD+ySB6JptSDBp5AHprBcvcci8o29wKeZJnQJYu3zkJfAG0ZecWt/HxuUy/YDg=="),
            ("*/*", "kpiPruBhg+PllVNn9JRf1/tWuJE93MT/TsgT6wTIvEcbMoTUcSzJqRtED9c7yu2MoLhonLEHO4d0Njfw/msBCQ=="),
        ] as [(String?, String)])
    func signed(addressee: String?, signature: String) {
        var gateway = FleetGateway(signer: FleetGateway.key)
        #expect(gateway.receive(Self.signed(7, addressee, signature)) == .taken)
    }

    private static func signed(_ version: Int, _ addressee: String?, _ signature: String, _ level: String = "debug")
        -> String
    {
        let address = addressee.map { #","signed_for":"\#($0)""# } ?? ""
        return
            #"{"schema":1,"version":\#(version),"tables":{"log":{"level":"\#(level)"}},"signature":"\#(signature)"\#(address)}"#
    }

    @Test(
        "With a signer, an unsigned message, another gateway's, one with a changed digit and a shortened signature are refused",
        arguments: Self.unsignedMessages)
    func notSigned(text: String) {
        var gateway = FleetGateway(signer: FleetGateway.key)
        #expect(gateway.receive(text) == .refused)
        #expect(gateway.ledger.version == nil && gateway.ledger.report?.errors.first?.key.hasPrefix("sign") == true)
    }

    private static let unsignedMessages: [String] = [
        debug(7),
        // Another gateway's message, with its address and without.
        signed(
            7, "berlin-7/till",
            "LrwBPwoKcixvpXsUqV0EpD1aA4BIrIjAv4yzA2MSAXVOh5WtXFjhKdqCBRbjpccc28MZdrbr0j2bwyDFHt2KBw=="),
        signed(
            7, nil, "LrwBPwoKcixvpXsUqV0EpD1aA4BIrIjAv4yzA2MSAXVOh5WtXFjhKdqCBRbjpccc28MZdrbr0j2bwyDFHt2KBw=="),
        // Another version, and another value.
        signed(
            8, nil, "WP9STWtMRlm4/EGqPgB2iONTfamjkeoQ0GNVAlLu7QqcC/GCbmyvupmT7+1Q+92IevekNI+4UXiIYr88+SnbDQ=="),
        signed(
            7, nil, "WP9STWtMRlm4/EGqPgB2iONTfamjkeoQ0GNVAlLu7QqcC/GCbmyvupmT7+1Q+92IevekNI+4UXiIYr88+SnbDQ==", "error"),
        signed(7, nil, "WP9STWtM"), signed(7, nil, ""),
        // A star stands for a whole name.
        signed(
            7, "berlin-*/door",
            "/8ddrzBsvfPUgW9nBoqZj0JPFD+ySB6JptSDBp5AHprBcvcci8o29wKeZJnQJYu3zkJfAG0ZecWt/HxuUy/YDg=="),
    ]

    @Test("Without a signer, a signature is not looked at")
    func unsigned() {
        var gateway = FleetGateway()
        #expect(gateway.receive(Self.signed(7, "else/where", "AAAA")) == .taken)
    }
}
