import Testing

@testable import Core

/// The octets of pairs of hexadecimal digits, with optional spaces between them.
func octets(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// An AD structure of service data: its UUID with the least significant octet first, and the data.
func serviceData(_ text: String) -> [UInt8] {
    let content = octets(text)
    return [UInt8(content.count + 1), 0x16] + content
}

func telemetry(in data: [UInt8]) -> [TelemetryFrame] {
    var frames: [TelemetryFrame] = []
    TelemetryFrames.forEach(in: data.span) { frames.append($0) }
    return frames
}

/// A frame with these values, none of them contradictory.
func good(
    _ format: TelemetryFormat, percent: UInt8? = nil, mV: UInt16? = nil, cC: Int16? = nil
) -> TelemetryFrame {
    .values(
        Telemetry(format: format, battery_percent: percent, battery_mV: mV, temperature_cC: cC), isContradictory: false)
}

/// The octets are those of the formats' owners and of other decoders' tests; the source stands above each group.
@Suite("Published frames are read as their owners publish them")
struct TelemetryVectorTests {
    // reelyactive/advlib-ble-services, test/unit/eddystone.test.js; MikroTik's manual of RouterOS, Bluetooth; a sample
    // of a beacon by Blue Charm.
    @Test(
        "Eddystone-TLM has the voltage, and the temperature in 8.8 notation",
        arguments: [
            ("1116AAFE20000BB815000000004500000258", 3_000, 2_100),
            ("0201060303AAFE1116AAFE20000B701549023532D802384F46", 2_928, 2_129),
            ("0201060303AAFE1116AAFE20000BF017000008874803FB9354", 3_056, 2_300),
        ] as [(String, UInt16, Int16)])
    func eddystone(text: String, mV: UInt16, cC: Int16) {
        #expect(telemetry(in: octets(text)) == [good(.eddystoneTLM, mV: mV, cC: cC)])
    }

    // bthome.io/format, and Bluetooth-Devices/bthome-ble, tests/test_parser_v2.py.
    @Test(
        "BTHome has charge, voltage and temperature in each of its resolutions, among other objects",
        arguments: [
            ("40 02C409 03BF13", good(.bthome, cC: 2_500)),
            ("40 00 09 01 5D 02 5D09 03 B718", good(.bthome, percent: 93, cC: 2_397)),
            ("40 00 2E 01 64 1E 01 2E 34 45 1601", good(.bthome, percent: 100, cC: 2_780)),
            ("40 01 61", good(.bthome, percent: 97)),
            ("40 0C 020C", good(.bthome, mV: 3_074)),
            ("40 45 1101", good(.bthome, cC: 2_730)),
            ("40 45 EEFE", good(.bthome, cC: -2_740)),
            ("40 02 3CF6", good(.bthome, cC: -2_500)),
            ("40 57 EA", good(.bthome, cC: -2_200)),
            ("40 58 EA", good(.bthome, cC: -770)),
            ("44 02 CA09 03 BF13", good(.bthome, cC: 2_506)),
        ])
    func bthome(text: String, expected: TelemetryFrame) {
        #expect(telemetry(in: serviceData("D2FC" + text)) == [expected])
    }

    // A sample of MicroPython's Bluetooth tests, and a beacon that sends its iBeacon frame in the same packet.
    @Test("The Battery Service's data are the charge")
    func batteryService() {
        #expect(telemetry(in: octets("04160F1822")) == [good(.batteryService, percent: 34)])
        let beside = "0201041AFF4C00021525CBDBA28DD84E54ADF4B51F0CAEA6E603000001B604160F1857"
        #expect(telemetry(in: octets(beside)) == [good(.batteryService, percent: 87)])
    }

    // Minew's "MiniBeaconPlus Configuration Instruction"; reelyactive/advlib-ble-services, test/unit/minew.test.js;
    // samples of an S1, of acceleration and of vibration in the parsers of gateways.
    @Test(
        "Minew's frames have the charge, and that of temperature and humidity the temperature",
        arguments: [
            ("0201060303E1FF1316E1FFA10864001302E4CDAB504C5553303031", good(.minew, percent: 100)),
            ("0E16E1FFA10801AABBCCDDEEFF504C", good(.minew, percent: 1)),
            ("1016E1FFA1016315803200AABBCCDDEEFF", good(.minew, percent: 99, cC: 2_150)),
            ("0201060303E1FF1016E1FFA101641AFD2F943182AB3F23AC", good(.minew, percent: 100, cC: 2_699)),
            ("0D16E1FFA1024501AABBCCDDEEFF", good(.minew, percent: 69)),
            ("1216E1FFA1034AFFE7004500FA55DABA50E1FE", good(.minew, percent: 74)),
            ("1116E1FFA118550000001001AABBCCDDEEFF", good(.minew, percent: 85)),
        ])
    func minew(text: String, expected: TelemetryFrame) {
        #expect(telemetry(in: octets(text)) == [expected])
    }

    // sz33psz/kontakt-beacon-parser, parser_test.go, and samples of tags in parsers of Kontakt.io's packets.
    @Test(
        "Kontakt.io's frames have charge or temperature, in both profiles and among other fields",
        arguments: [
            ("0F166AFE0206010F6404616263646566", good(.kontakt, percent: 100)),
            ("0201061B166AFE03050610FE208D041100FFFF041600FFFF03139F17021231", good(.kontakt, cC: 2_362)),
            ("0201061B166AFE0305177BD47B44041F071A0403FF00000313991303200A00", good(.kontakt, cC: 1_960)),
        ])
    func kontakt(text: String, expected: TelemetryFrame) {
        #expect(telemetry(in: octets(text)) == [expected])
    }

    @Test(
        "Each of Kontakt.io's fields with charge or temperature is read, also where a later version makes it longer",
        arguments: [
            ("0601 1C2D3E4F 57", good(.kontakt, percent: 87)), ("0701 1C2D3E4F 57 00", good(.kontakt, percent: 87)),
            ("020C 57", good(.kontakt, percent: 87)), ("0305 64 EB", good(.kontakt, cC: -2_100)),
            ("020B EB", good(.kontakt, cC: -2_100)), ("0313 80EA", good(.kontakt, cC: -2_150)),
            ("020A 64 020B 15 0C02 0102030405060708090A0B 020C 57", good(.kontakt, percent: 87, cC: 2_100)),
        ])
    func fields(text: String, expected: TelemetryFrame) {
        #expect(telemetry(in: serviceData("6AFE03" + text)) == [expected])
    }

    @Test("Kontakt.io's shuffling hides the identity, not the charge")
    func shuffled() {
        let identifier = "000102030405060708090A0B0C0D0E0F"
        #expect(telemetry(in: serviceData("6AFE0106010F5704" + identifier)) == [good(.kontakt, percent: 87)])
        #expect(telemetry(in: serviceData("6AFE0106010F5704" + identifier.dropLast(2))) == [])
    }

    /// The frames that a simulated beacon sends.
    @Test(
        "Each format reads a charge of 87 %, 2,950 mV and 21.5 °C as far as it carries them",
        arguments: [
            ("1116AAFE20000B8615800000006400000258", good(.eddystoneTLM, mV: 2_950, cC: 2_150)),
            ("0C16D2FC400157026608 0C860B", good(.bthome, percent: 87, mV: 2_950, cC: 2_150)),
            ("04160F1857", good(.batteryService, percent: 87)),
            ("1016E1FFA1015715803200AABBCCDDEEFF", good(.minew, percent: 87, cC: 2_150)),
            ("0B166AFE03020C5703138015", good(.kontakt, percent: 87, cC: 2_150)),
        ])
    func simulated(text: String, expected: TelemetryFrame) {
        #expect(telemetry(in: octets(text)) == [expected])
    }
}
