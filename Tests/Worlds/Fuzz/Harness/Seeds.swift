import Beacons
import Configuration
import Glibc
import HCI
import Messages
import Regions

/// What a corpus begins with, made by our own encoders, so that no recorded air is in the repository.
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
            CommandCompleteEvent(opcode: ReadBDADDR.opcode, returnParameters: [0, 1, 2, 3, 4, 5, 6]).octets,
            CommandStatusEvent(opcode: ReadBDADDR.opcode, status: HCIStatus(rawValue: 0x0C)).octets,
            HardwareErrorEvent(code: 1).octets,
        ]
        switch target {
        case .events: return events
        case .structures: return [data, frame + frame, [2, 1, 6, 0, 0], Array(data.dropLast(3))]
        case .captures:
            let records = events.enumerated().flatMap { number, event in
                BTSnoopWriter.record(event: event, at: WallTime(microseconds: 1_700_000_000_000_000 + Int64(number)))
            }
            return [UInt8(1), 40, 255].map { [$0] + BTSnoopWriter.header + records }
        case .configuration: return configurations.map { Array($0.utf8) }
        case .requests: return requests.map { [$0.0] + Array($0.1.utf8) }
        case .keys: return ["0123456789ABCDEF0123456789ABCDEF", "ASNFZ4mrze8BI0VniavN7w=="].map { Array($0.utf8) }
        case .rows: return rows
        case .gateway: return stories
        }
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
                                keeper: .beacon(
                                    BeaconKeeper(major: 1, minor: 7, patience: .seconds(8), rssi_dbm: -60.5))))
                        : .outside(since: .origin + .seconds(100)))
                let stored = StoredRegion(record: record, eventSeq: 3)
                return Array(StoredRegion.key(instance).utf8) + [UInt8(ascii: "\n")]
                    + stored.encoded(timebase, bootID: "boot")
            }
        } + [Array("/monitor/door\n{\"id\":\"door\",\"uuid\":\"39ED98FF-2900-441A-802F-9C398FC199D2\"}".utf8)]
    }

    /// A beacon that stays, one that rotates, a radio that goes blind.
    private static var stories: [[UInt8]] {
        let stays = (0..<20).flatMap { _ in [10, 100, 0, 1, 0xC5, 0xC1, 0, 0xC4] as [UInt8] }
        let rotates = (0..<20).flatMap { [10, 100, 0, 2, 0xC5, 0x41 + UInt8($0 / 7), 0, 0xBA] as [UInt8] }
        let blind: [UInt8] = [250, 250, 255, 0, 0, 0, 0, 0, 250, 250, 254, 0, 0, 0, 0, 0]
        return [stays, rotates, stays + blind + rotates, blind + [255, 255, 253, 0, 0, 0, 0, 0]]
    }

    /// Writes the seeds of all targets, a folder each.
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
