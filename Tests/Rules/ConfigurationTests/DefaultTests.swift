import Testing

@testable import Core

/// The defaults, written out once more: a change has to be made here too, on purpose.
struct DefaultTests {
    let settings = Settings.defaults

    @Test("An empty file gives the defaults")
    func emptyFile() throws {
        #expect(try Settings.parse("") == Settings.defaults)
        #expect(try Settings.parse("[radio]\n[mqtt]\n") == Settings.defaults)
    }

    @Test("The gateway id is the host name, in the site store")
    func gateway() {
        #expect(settings.identity.site == "store")
        #expect(settings.identity.id == nil)
        #expect(settings.outbox.directory == "/var/lib/beacond")
    }

    @Test("The radio listens passively on the first usable adapter, half of the time")
    func radio() {
        #expect(settings.radio.adapters == [.automatic])
        #expect(settings.radio.scan == .passive)
        #expect(settings.radio.interval_ms == 60)
        #expect(settings.radio.window_ms == 30)
        #expect(settings.gateway.adapters.map(\.rssiOffset_db) == [0])
    }

    @Test("The tracker keeps 8192 transmitters and Apple's 2 and 10 seconds")
    func tracker() {
        #expect(settings.gateway.tracker.maxTransmitters == 8192)
        #expect(settings.gateway.tracker.unknownAfter == .seconds(2))
        #expect(settings.gateway.tracker.resolveAfter == .seconds(10))
        #expect(settings.gateway.tracker.devices.isEmpty)
    }

    @Test("Distance is smoothed slowly, regions fast")
    func smoothing() {
        #expect(
            settings.gateway.tracker.distanceFilter.timeConstant_s
                > settings.gateway.tracker.regionFilter.timeConstant_s)
        #expect((30...60).contains(settings.gateway.tracker.distanceFilter.timeConstant_s))
        #expect((2...3).contains(settings.gateway.tracker.regionFilter.timeConstant_s))
    }

    @Test("Immediate ends at half a metre, near at four")
    func distance() {
        #expect(
            settings.gateway.distance
                == DistanceSettings(
                    model: .indoor, pathLossExponent: 2.5, immediate_m: 0.5, near_m: 4, hysteresis: 0.15))
    }

    @Test("A region is entered at the first report and left after 20 seconds, with 10 to settle")
    func regions() throws {
        #expect(settings.gateway.regions.beacons.isEmpty)
        #expect(settings.gateway.regions.limits == RegionLimits(maxRegions: 1024, maxInstances: 16384))
        let carts = try #require(try Settings.parse(region()).gateway.regions.beacons.first)
        let uuid = try #require(ProximityUUID("39ED98FF-2900-441A-802F-9C398FC199D2"))
        let rules = BeaconRules(
            entryRSSI_dbm: -127, entryAfter: .zero, exitRSSI_dbm: -127, exitAfter: .seconds(20), settle: .seconds(10),
            unknownStateAfter: .seconds(60))
        #expect(carts == BeaconRegion(id: "carts", uuid: uuid, rules: rules))
    }

    @Test("Ranging is published on a change of half a metre, every 1 to 10 seconds")
    func ranging() {
        #expect(
            settings.gateway.ranging
                == RangingSettings(
                    mode: .change, minInterval: .seconds(1), maxInterval: .seconds(10), distanceFilter_m: 0.5))
    }

    @Test("The broker is this machine's, anonymous, without TLS, MQTT 5")
    func mqtt() {
        #expect(settings.broker.host == "127.0.0.1")
        #expect(settings.broker.port == 1883)
        #expect(!settings.broker.usesTLS)
        #expect(settings.identity.prefix == "beacons")
        let texts = [
            settings.broker.username, settings.broker.passwordFile, settings.broker.caFile,
            settings.broker.certificateFile,
            settings.broker.keyFile,
        ]
        #expect(texts == ["", "", "", "", ""])
        #expect(settings.broker.keepalive_s == 30)
        #expect(settings.broker.maxInflight == 20)
        #expect(settings.broker.protocolVersion == .v5)
    }

    @Test("A million events may wait, in 256 MiB")
    func outbox() {
        #expect(settings.outbox.maxEvents == 1_000_000)
        #expect(settings.outbox.max_MiB == 256)
    }

    @Test("Addresses are published as pseudonyms, commands and the health file are off, the log level is info")
    func rest() {
        #expect(settings.privacy.device == .pseudonym)
        #expect(!settings.commands.isEnabled)
        #expect(settings.health.textfile == "")
        #expect(settings.log.level == .info)
    }

    @Test("The gateway advertises nothing and keeps no events")
    func installersTools() {
        #expect(settings.advertise == nil)
        #expect(settings.capture == nil)
    }
}
