import TestAir
import Testing

@testable import Core

@Suite("Health, as a message and as metrics")
struct HealthTests {
    private let composer = MessageComposer.of(version: "1.2.3")

    private func report(_ change: (inout HealthReport) -> Void = { _ in }) -> HealthReport {
        var report = HealthReport()
        report.engine.reports = 7_200
        report.engine.rejects.count(.truncatedBeacon)
        report.engine.suspectedSpoofing = [SuspectedSpoofing(kind: .identities, rate_per_s: 998.25)]
        (report.engine.listedTracks, report.engine.instances) = (14, 3)
        (report.reportsPerSecond, report.queueDepth, report.uptime_s) = (118.4, 2, 60.5)
        report.drops = [NamedCount("max_transmitters", 0), NamedCount("ranging_offline", 5)]
        report.recoveries = [NamedCount("reenable", 4), NamedCount("reset", 1)]
        report.process = HealthReport.Process(rss_kib: 15_360, cpu_s: 0.25, cpu_percent: 0.42)
        report.broker = HealthReport.Broker(
            isConnected: true, reconnects: 1, refused: [NamedCount("not_authorized", 3)],
            lastFailure: "it \"hung up\"")
        change(&report)
        return report
    }

    private func payload(_ report: HealthReport) -> String {
        let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)
        return String(decoding: composer.health(report, at: .origin, timebase).payload, as: UTF8.self)
    }

    private func metrics(
        _ report: HealthReport, radio: RadioAvailability = .scanning, isClockSynced: Bool = true
    ) -> [Substring] {
        let octets = composer.metrics(
            report, radio: .live(RadioCondition(radio, mayAdminister: false)), isClockSynced: isClockSynced)
        return String(decoding: octets, as: UTF8.self).split(separator: "\n")
    }

    @Test("The message has the state of the broker's connection, and the reason of its last end")
    func broker() {
        #expect(
            payload(report()).hasSuffix(
                #""mqtt":{"connected":true,"reconnects":1,"refused":{"not_authorized":3},"no_subscribers":0,"last_failure":"it \"hung up\""}}"#
            ))
    }

    @Test("The certificate's end is in the message, and the time until then in the metrics; without one neither is")
    func certificate() {
        let year_us: Int64 = 31_536_000_000_000
        let certificate = Certificate(
            commonNames: ["store/gate"], issuer: "", validFrom: .unixEpoch, expires: WallTime(microseconds: year_us))
        func reported(at now_us: Int64) -> HealthReport {
            report { $0.certificate = HealthReport.OwnCertificate(certificate, at: WallTime(microseconds: now_us)) }
        }
        #expect(payload(reported(at: 0)).hasSuffix(#","certificate":{"expires_at":"1971-01-01T00:00:00.000Z"}}"#))
        #expect(metrics(reported(at: year_us - 60_000_000)).contains("beacond_certificate_expires_seconds 60"))
        #expect(metrics(reported(at: year_us + 1_000_000)).contains("beacond_certificate_expires_seconds -1"))
        #expect(!payload(report()).contains("certificate"))
        #expect(!metrics(report()).contains { $0.contains("certificate") })
    }

    @Test("A store's metrics have the gateway's names, and a label that tells them apart")
    func storesMetrics() {
        let radio = MessageComposer.RadioStatus.store(isHearing: true)
        func lines(_ agent: String?) -> [String] {
            let octets = composer.metrics(report(), radio: radio, isClockSynced: true, agent: agent)
            return String(decoding: octets, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        #expect(lines("site").contains(#"beacond_clock_synced{agent="site"} 1"#))
        #expect(lines("site").contains(#"beacond_radio_availability{agent="site",state="scanning"} 1"#))
        #expect(lines(nil).filter { $0.hasPrefix("#") } == lines("site").filter { $0.hasPrefix("#") })
        #expect(lines("site").holdForAll { $0.hasPrefix("#") || $0.contains(#"{agent="site""#) })
    }

    @Test("A store counts refused reports of people, and one that counts no people has no such figure")
    func peopleRefused() {
        func reported(_ refused: UInt64?) -> HealthReport {
            report {
                var store = StoreFigures(late: 0, malformed: 4, gateways: [])
                store.peopleRefused = refused
                $0.engine.store = store
            }
        }
        #expect(payload(reported(0)).contains(#""malformed":4,"people_refused":0,"#))
        #expect(metrics(reported(7)).contains("beacond_site_people_refused_total 7"))
        #expect(!payload(reported(nil)).contains("people") && !metrics(reported(nil)).joined().contains("people"))
    }

    @Test("The message counts the recovery steps of adapters that did not scan")
    func recoveries() {
        // Once: readers do not agree on JSON with a repeated key.
        #expect(payload(report()).ranges(of: #""recoveries":{"reenable":4,"reset":1}"#).count == 1)
    }

    @Test("The message names floods, and has an empty list where there is none")
    func floods() {
        let named = #""suspected_spoofing":[{"kind":"identities","rate_per_s":998.3}],"tracks""#
        #expect(payload(report()).contains(named))
        #expect(payload(report { $0.engine.suspectedSpoofing = [] }).contains(#""suspected_spoofing":[],"tracks""#))
    }

    @Test("The message names an adapter with wrong readings, and no adapter where all are in order")
    func readings() {
        let suspect = payload(
            report { $0.engine.suspectReadings = [SuspectReadings(adapter: "hci1", kind: .twoLevels)] })
        #expect(suspect.contains(#""suspect_readings":[{"adapter":"hci1","kind":"two_levels"}],"tracks""#))
        #expect(!payload(report()).contains("suspect_readings"))
    }

    @Test("The message names beacons with an implausible measured power, where there are any")
    func implausiblePower() {
        let named = payload(
            report {
                $0.engine.implausiblePowers = [
                    ImplausiblePower(
                        identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 7, minor: 8),
                        measuredPower_dbm: -3)
                ]
            })
        #expect(
            named.contains(
                #""implausible_power":[{"uuid":"00000000-0000-0001-0000-000000000002","major":7,"minor":8,"measured_power_dbm":-3}]"#
            ))
        #expect(!payload(report()).contains("implausible_power"))
    }

    @Test("A replay has no figure in which two runs would differ")
    func replay() {
        let payload = payload(report { ($0.process, $0.broker, $0.recoveries) = (nil, nil, []) })
        for key in ["rss_kib", "cpu_percent", "mqtt", "recoveries"] { #expect(!payload.contains(key)) }
    }

    @Test(
        "Each figure has its metric, in base units",
        arguments: [
            #"beacond_build_info{version="1.2.3"} 1"#, "beacond_uptime_seconds 60.5", "beacond_clock_synced 1",
            #"beacond_radio_availability{state="scanning"} 1"#, #"beacond_radio_availability{state="blocked"} 0"#,
            "beacond_advertising_reports_total 7200", #"beacond_rejected_total{reason="truncated_beacon"} 1"#,
            #"beacond_rejected_total{reason="no_reports"} 0"#, "beacond_tracks 14", "beacond_region_instances 3",
            "beacond_outbox_queued_events 2", "beacond_outbox_healthy 1",
            #"beacond_dropped_total{cause="ranging_offline"} 5"#, "beacond_mqtt_connected 1",
            "beacond_mqtt_reconnects_total 1", #"beacond_mqtt_refused_total{reason="not_authorized"} 3"#,
            #"beacond_radio_recoveries_total{step="reset"} 1"#, "beacond_resident_memory_bytes 15728640",
            "beacond_cpu_seconds_total 0.25", #"beacond_suspected_spoofing_per_second{kind="identities"} 998.25"#,
            #"beacond_suspected_spoofing_per_second{kind="rssi"} 0"#,
            #"beacond_suspect_readings{kind="stuck"} 0"#, "beacond_implausible_power_beacons 0",
        ])
    func figure(line: Substring) {
        #expect(metrics(report()).contains(line))
    }

    @Test("A radio, a clock, an outbox or a broker in trouble shows")
    func trouble() {
        let lines = metrics(
            report {
                $0.outbox = "outbox: disk full"
                $0.broker?.isConnected = false
            }, radio: .blocked, isClockSynced: false)
        let expected: [Substring] = [
            #"beacond_radio_availability{state="blocked"} 1"#, #"beacond_radio_availability{state="scanning"} 0"#,
            "beacond_clock_synced 0", "beacond_outbox_healthy 0", "beacond_mqtt_connected 0",
        ]
        for line in expected { #expect(lines.contains(line)) }
    }

    @Test("Every metric has its help and its type once, before its samples; counters end in _total")
    func kinds() {
        var described: [Substring] = []
        for line in metrics(report()) {
            let words = line.split(separator: " ", maxSplits: 3)
            if line.hasPrefix("# HELP ") {
                #expect(!described.contains(words[2]))
                described.append(words[2])
            } else if line.hasPrefix("# TYPE ") {
                #expect(words[2] == described.last)
                #expect(words[3] == (words[2].hasSuffix("_total") ? "counter" : "gauge"))
            } else {
                #expect(words[0].prefix { $0 != "{" } == described.last)
            }
        }
    }

    @Test("A count of zero has no metric")
    func nothingRefused() {
        #expect(!metrics(report { $0.broker?.refused = [] }).contains { $0.contains("refused") })
    }

    @Test("Quotation marks, backslashes and line ends in a label are escaped")
    func escaping() {
        var text = PrometheusText()
        text.add("name", .gauge, "two\nlines", [.init(1, label: ("label", "a\"b\\c\nd"))])
        #expect(text.text == "# HELP name two\\nlines\n# TYPE name gauge\nname{label=\"a\\\"b\\\\c\\nd\"} 1\n")
    }

    @Test("A figure is declared once: no two of them share a key of the message or a metric's name")
    func declaredOnce() {
        let keys = HealthReport.figures.compactMap { $0.key.map { "\($0)" } }
        #expect(Set(keys).count == keys.count && keys.contains("tracks"))
        let names = metrics(report()).filter { $0.hasPrefix("# TYPE ") }
        #expect(Set(names).count == names.count && names.contains("# TYPE beacond_tracks gauge"))
    }
}
