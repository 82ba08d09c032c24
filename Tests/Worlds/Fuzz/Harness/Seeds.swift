import Glibc

@testable import Core

/// The seeds of a corpus, made by the project's own encoders, so that the repository contains no recorded radio
/// traffic.
enum Seeds {
    private static let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 7)
    private static let frame = IBeaconFrame(identity: identity, measuredPower_dbm: -59).encodedStructure

    private static func event(isExtended: Bool, count: UInt64, data: [UInt8]) -> [UInt8] {
        AdvertisingReportEncoder.event(
            (1...count).map { number in
                let address = DeviceAddress(bits: 1 << 46 | number, type: .random)
                let report = AdvertisingReport(
                    isExtended: isExtended, eventType: 0, address: address, rssi_dbm: -60)
                return (report, data)
            })
    }

    static func of(_ target: Target) -> [[UInt8]] {
        let data = [2, 1, 6] + frame
        let events = [
            event(isExtended: false, count: 1, data: data), event(isExtended: true, count: 1, data: data),
            event(isExtended: false, count: 4, data: [2, 1, 6]),
            event(isExtended: true, count: 3, data: [3, 3, 15, 24]),
            CommandCompleteEvent(opcode: Opcode(rawValue: 0x1009), returnParameters: [0, 1, 2, 3, 4, 5, 6]).octets,
            [EventCode.commandStatus, 4, 0x0C, 1, 0x09, 0x10], [EventCode.hardwareError, 1, 1],
        ]
        switch target {
        case .events: return events
        case .structures: return [data, frame + frame, [2, 1, 6, 0, 0], Array(data.dropLast(3))]
        case .telemetry: return beaconsWithTelemetry
        case .captures:
            let records = events.enumerated().flatMap { number, event in
                BTSnoopWriter.record(event: event, at: WallTime(microseconds: 1_700_000_000_000_000 + Int64(number)))
            }
            return [UInt8(1), 40, 255].map { [$0] + BTSnoopWriter.header + records }
        case .configuration: return configurations.map { Array($0.utf8) }
        case .requests: return requests.map { [$0.0] + Array($0.1.utf8) }
        case .keys: return ["0123456789ABCDEF0123456789ABCDEF", "ASNFZ4mrze8BI0VniavN7w=="].map { Array($0.utf8) }
        case .rows: return rows
        case .payloads: return payloads
        case .topics: return topics.map { Array($0.utf8) }
        case .gpsd: return connections
        case .receivers: return receivers
        case .gateway: return stories
        }
    }

    /// A frame of each telemetry format beside the beacon's own, plain and encrypted, and all of them in one packet.
    private static var beaconsWithTelemetry: [[UInt8]] {
        let minewAddress: [UInt8] = [0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF]
        let counters: [UInt8] = [0, 0, 0, 100, 0, 0, 2, 88]
        let data: [[UInt8]] = [
            [0xAA, 0xFE, 0x20, 0x00, 0x0B, 0x86, 0x15, 0x80] + counters,
            [0xAA, 0xFE, 0x20, 0x01, 0x0B, 0x86, 0x15, 0x80] + counters + [1, 2, 3, 4],
            [0xD2, 0xFC, 0x40, 0x01, 87, 0x02, 0x66, 0x08, 0x0C, 0x86, 0x0B, 0x53, 1, 65],
            [0xD2, 0xFC, 0x41, 0x01, 87] + counters, [0x0F, 0x18, 87],
            [0xE1, 0xFF, 0xA1, 0x01, 87, 0x15, 0x80, 0x32, 0x00] + minewAddress,
            [0xE1, 0xFF, 0xA1, 0x08, 87] + minewAddress + [80, 76, 85, 83],
            [0x6A, 0xFE, 0x03, 0x02, 0x0C, 87, 0x03, 0x13, 0x80, 0x15, 0x06, 0x01, 0, 0, 0, 0, 87],
            [0x6A, 0xFE, 0x02, 6, 1, 15, 87, 4, 97, 98, 99, 100],
        ]
        let structures = data.map { [UInt8($0.count + 1), 0x16] + $0 }
        return structures.map { frame + $0 } + [structures.flatMap(\.self)]
    }

    private static let configurations = [
        "[gateway]\nsite = \"store\"\n[mqtt]\nurl = \"mqtts://broker.example.com:8883\"\n",
        "[[region]]\nid = \"carts\"\nuuid = \"39ED98FF-2900-441A-802F-9C398FC199D2\"\nmajor = 1\nexpand = 'minor'\n",
        "[radio]\ninterval_ms = 60.0\nwindow_ms = 3e1\nadapters = [\"hci0\", \"hci1\"]\n[distance]\nmodel = \"curve\"\n",
        "[[device]]\nname = \"\"\"till\\u0020\\n3\"\"\"\nirk = \"0123456789ABCDEF0123456789ABCDEF\" # a key\n",
        "regions = { exit_after_s = 20, entry_rssi_dbm = -80 }\n[ranging]\nmode = \"interval\"\nmin_interval_s = 1_0\n",
    ]

    private static let requests: [(UInt8, String)] = (0..<4).flatMap { verb in
        [
            (verb, "{\"region\":\"carts\",\"major\":1,\"minor\":7,\"limit\":16,\"start\":0}"),
            (verb, "{\"id\":\"door\",\"uuid\":\"39ED98FF-2900-441A-802F-9C398FC199D2\",\"expand\":\"major\"}"),
            (verb, "{\"id\":\"\\u00e9\\ud83d\\ude00\",\"exit_after_s\":-1.5e3,\"a\":[true,null,{}]}"), (verb, ""),
        ]
    }

    private static var rows: [[UInt8]] {
        let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)
        let instances = [
            RegionInstanceID(region: "carts"), RegionInstanceID(region: "carts", .major(1)),
            RegionInstanceID(region: "carts", .minor(major: 1, minor: 7)),
        ]
        return [true, false].flatMap { isInside in
            instances.map { instance in
                let record = RegionRecord(
                    instance: instance, .beacon(of: nil),
                    isInside
                        ? .inside(
                            RegionRecord.OpenStay(
                                enteredAt: .origin + .seconds(100), lastHeardAt: .origin + .seconds(200),
                                beginning: .partial,
                                keeper: BeaconKeeper(major: 1, minor: 7, patience: .seconds(8), rssi_dbm: -60.5)))
                        : .outside(since: .origin + .seconds(100)))
                let stored = StoredRegion(record: record, eventSeq: 3)
                return Array(StoredRegion.key(instance).utf8) + [UInt8(ascii: "\n")]
                    + stored.encoded(timebase, bootID: "boot")
            }
        } + [Array("/monitor/door\n{\"id\":\"door\",\"uuid\":\"39ED98FF-2900-441A-802F-9C398FC199D2\"}".utf8)]
    }

    /// Data of gpsd, after the octet that says how it comes.
    private static var connections: [[UInt8]] {
        let device = #"{"class":"DEVICE","path":"/dev/a","activated":"2026-11-21T12:00:00.000Z"}"#
        let fix =
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T12:00:06.000Z","lat":52.5169,"#
            + #""lon":13.3777,"altMSL":34.5,"epx":17.24,"epy":15.217,"track":0.5,"speed":11.112,"eph":20.9}"#
        let lines = [
            #"{"class":"DEVICES","devices":["# + device + "]}", #"{"class":"WATCH","enable":true,"json":true}"#,
            #"{"class":"ATT","device":"/dev/a","heading":96.000,"mag_st":"N","pitch":1.00}"#, fix,
            #"{"class":"SKY","device":"/dev/a","satellites":[{"PRN":5,"el":40.0,"used":false}]}"#,
            #"{"class":"DEVICE","path":"/dev/a","activated":0}"#, #"{"class":"ERROR","message":"no"}"#,
            #"{"class":"TPV","device":"/dev/b","mode":1}"#, "$GPRMC,120000.00,V,,,,,,,211126,,,N*79",
        ]
        let all = lines.map { $0 + "\r\n" }.joined()
        let other = #"{"class":"VERSION","release":"9","proto_major":4,"proto_minor":0}"# + "\n"
        return [(0x03, all), (0x0F, all), (0x0B, fix + "\n" + fix), (0x0E, all), (0x0D, other)].map {
            [$0.0] + Array($0.1.utf8)
        }
    }

    private static let topics = [
        "beacons/store/gate/status", "beacons/store/gate/region/carts/event",
        "beacons/store/gate/region/region/1/7/event",
        "beacons/store/gate/region/carts/1/ranging", "beacons/store/gate/request/state",
        "beacons/store/gate/response/stop",
        "a/b/beacons/store/gate/region/carts/65535/0/event",
    ]

    /// A payload of each kind, after the octet that chooses it.
    private static var payloads: [[UInt8]] {
        let head = PayloadHead(at: WallTime(microseconds: 1_700_000_000_123_000), isClockSynced: true)
        let origin = PayloadOrigin(site: "store", gateway: "gate")
        let epoch = "01KDVDNA0T0000000000000000"
        let instance = RegionInstanceID(region: "carts", .minor(major: 1, minor: 7))
        let observation = BeaconObservation(
            accuracy_m: 1.25, accuracyError_m: 0.6, proximity: .near, rssi_dbm: -63.4)
        let list = ListedBeacons(
            instance: instance, count: 1,
            beacons: [
                ListedBeacon(
                    track: 3, identity: identity, observation: observation, measuredPower_dbm: -59, age_ms: 40,
                    reception: Reception(interval_ms: 102, reports_per_s: 8.3), device: "7958b2a4e2a4df85",
                    isResolving: true, isDuplicate: false)
            ])
        let stay = EventPayload.Stay(
            enteredAt: head.at, lastHeardAt: head.at, dwell_s: 0.5, beginning: .partial,
            ending: .unmonitored, isLate: true)
        let state = ListedState(instance: instance, state: .inside, since: head.at, eventSeq: 4)
        var report = HealthReport()
        report.engine.suspectedSpoofing = [SuspectedSpoofing(kind: .rssi, rate_per_s: 9.5)]
        report.engine.suspectReadings = [SuspectReadings(adapter: "hci0", kind: .stuck)]
        (report.engine.listedTracks, report.engine.instances, report.queueDepth) = (1, 2, 3)
        (report.reportsPerSecond, report.uptime_s) = (118.4, 60)
        (report.drops, report.recoveries) = ([NamedCount("answers", 1)], [NamedCount("reset", 1)])
        report.process = HealthReport.Process(rss_kib: 15_000, cpu_s: nil, cpu_percent: 0.42)
        report.broker = HealthReport.Broker(
            isConnected: true, reconnects: 1, refused: [NamedCount("not_authorized", 2)],
            lastFailure: "\"away\"")
        let all: [(MessageKind, any Payload)] = [
            (
                .status,
                StatusPayload(
                    head: head, isOnline: true, version: "1.0.0", epoch: epoch, radio: .live(.scanning), remedy: "")
            ), (.health, HealthPayload(head: head, report: report)),
            (
                .coverage,
                CoveragePayload(
                    head: head, origin: origin, number: MessageNumber(epoch: epoch, series: .spans, seq: 2),
                    content: Coverage(from: head.at, to: head.at, radio: .stopped))
            ),
            (
                .gap,
                GapPayload(head: head, origin: origin, epoch: epoch, series: .spans, numbers: 3...9, cause: "disk")
            ),
            (
                .event,
                EventPayload(
                    head: head, origin: origin, epoch: epoch, seq: 4, region: "carts",
                    cause: .beacon(identity, observation), exit: stay)
            ),
            (
                .state,
                StatePayload(
                    head: head, epoch: epoch, instance: instance, detail: .beacon, state: .inside, since: head.at,
                    eventSeq: 4)
            ), (.ranging, RangingPayload(head: head, list: list)),
            (.response, ResponsePayload(head: head, request: "state", result: .states([state], next: 7))),
            (.response, ResponsePayload(head: head, request: "range", result: .ranging(list))),
            (.response, ResponsePayload(head: head, request: "stop", result: .refused(RequestError(.tooLarge, "no")))),
        ]
        return all.map { kind, payload in
            [UInt8(clamping: MessageKind.allCases.firstIndex(of: kind) ?? 0)] + payload.encoded
        }
    }

    /// A message of each layout, behind the number of its format.
    private static var receivers: [[UInt8]] {
        let minewData: [UInt8] = [2, 1, 6, 3, 3, 0x0F, 0x18]
        let address: [UInt8] = [0xC2, 0, 0x59, 0, 3, 0x8E]
        let binary: [UInt8] = address + [0, 1] + address + [0, 1, 7] + minewData + [6, 0xC3]
        let connect: [UInt8] = [17, 0, 1, 0] + address + [0xC3, 7] + minewData
        let texts: [(UInt8, String)] = [
            (0, #"[{"type":"Gateway","mac":"AC233FC02F87"},{"mac":"C2005900038E","rssi":-44,"rawData":"020106"}]"#),
            (
                1,
                #"{"msg_id":3070,"data":[{"mac":"C2005900038E","timestamp":1795883385123,"rssi":-61,"adv_data":"020106"}]}"#
            ),
            (1, #"{"msg_id":3004,"data":[{"type":8,"value":{"mac":"C2005900038E","rssi":-78,"raw":"020106"}}]}"#),
            (
                2,
                #"{"action":"data.scan","timestamp":1678698297028,"data":[{"bdaddr":"C2:00:59:00:03:8E","rssi":-72,"adData":"020106"}]}"#
            ),
            (
                3,
                #"{"method":"NotifyEvent","params":{"events":[{"event":"ble.scan_result","ts":1.5e9,"data":[2,[["C2:00:59:00:03:8E",-50,"AgEG",""]]]}]}}"#
            ),
        ]
        let minew: [[UInt8]] = [
            [0, 0xBB, 0x01, 0, 0, 0, UInt8(binary.count + 7)] + binary + [0xDD],
            [0, 0xBB, 0x02, 0, 0, 0, 0, UInt8(20 + connect.count), 0, 0, 0] + [0, 0, 0, 0, 0x84, 0x3E, 0, 0, 0, 0]
                + connect,
        ]
        return minew + texts.map { [$0.0] + Array($0.1.utf8) }
    }

    /// A beacon that stays, one that rotates, a radio that goes blind.
    private static var stories: [[UInt8]] {
        let stays = (0..<20).flatMap { _ in [10, 100, 0, 1, 0xC5, 0xC1, 0, 0xC4] as [UInt8] }
        let rotates = (0..<20).flatMap { [10, 100, 0, 2, 0xC5, 0x41 + UInt8($0 / 7), 0, 0xBA] as [UInt8] }
        let blind: [UInt8] = [250, 250, 255, 0, 0, 0, 0, 0, 250, 250, 254, 0, 0, 0, 0, 0]
        return [stays, rotates, stays + blind + rotates, blind + [255, 255, 253, 0, 0, 0, 0, 0]]
    }

    /// Writes the seeds of all targets, a folder for each.
    static func write(to folder: String) {
        for target in Target.allCases {
            mkdir("\(folder)/\(target.rawValue)", 0o755)
            for (number, octets) in of(target).enumerated() {
                guard let file = fopen("\(folder)/\(target.rawValue)/seed-\(number)", "wb") else { continue }
                fwrite(octets, 1, octets.count, file)
                fclose(file)
            }
        }
    }
}
