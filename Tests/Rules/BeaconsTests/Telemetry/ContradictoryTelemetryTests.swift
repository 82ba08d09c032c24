import Testing

@testable import Core

@Suite("A value that cannot be true is distinguished, and costs no good one")
struct ContradictoryTelemetryTests {
    private func contradictory(
        _ format: TelemetryFormat, percent: UInt8? = nil, mV: UInt16? = nil, cC: Int16? = nil
    ) -> TelemetryFrame {
        .values(
            Telemetry(format: format, battery_percent: percent, battery_mV: mV, temperature_cC: cC),
            isContradictory: true)
    }

    @Test("A charge above 100 % is contradictory in each format that has one, 100 % and 0 % are not")
    func charge() {
        let frames: [(TelemetryFormat, (String) -> String)] = [
            (.bthome, { "D2FC4001" + $0 }), (.batteryService, { "0F18" + $0 }),
            (.minew, { "E1FFA108" + $0 + "AABBCCDDEEFF" }), (.kontakt, { "6AFE03020C" + $0 }),
            (.kontakt, { "6AFE03060100000000" + $0 }), (.kontakt, { "6AFE0206010F" + $0 + "0461626364" }),
        ]
        for (format, frame) in frames {
            #expect(telemetry(in: serviceData(frame("00"))) == [good(format, percent: 0)])
            #expect(telemetry(in: serviceData(frame("64"))) == [good(format, percent: 100)])
            #expect(telemetry(in: serviceData(frame("65"))) == [contradictory(format)])
            #expect(telemetry(in: serviceData(frame("FF"))) == [contradictory(format)])
        }
    }

    @Test("Eddystone's words for \"not supported\" are contradictory, and the other value stays")
    func notSupported() {
        let voltage = telemetry(in: serviceData("AAFE2000 0000 1580 0000006400000258"))
        #expect(voltage == [contradictory(.eddystoneTLM, cC: 2_150)])
        let temperature = telemetry(in: serviceData("AAFE2000 0B86 8000 0000006400000258"))
        #expect(temperature == [contradictory(.eddystoneTLM, mV: 2_950)])
        let both = telemetry(in: serviceData("AAFE2000 0000 8000 0000006400000258"))
        #expect(both == [contradictory(.eddystoneTLM)])
    }

    @Test("A voltage that no battery of a beacon has is contradictory: below 0.8 V, above 6.6 V, the mains")
    func voltage() {
        #expect(telemetry(in: serviceData("D2FC400C2003")) == [good(.bthome, mV: 800)])
        #expect(telemetry(in: serviceData("D2FC400C1F03")) == [contradictory(.bthome)])
        #expect(telemetry(in: serviceData("D2FC400CC819")) == [good(.bthome, mV: 6_600)])
        #expect(telemetry(in: serviceData("D2FC400CC919")) == [contradictory(.bthome)])
        #expect(telemetry(in: serviceData("D2FC400CFFFF")) == [contradictory(.bthome)])
        // 307.4 V, an example of bthome-ble, and the most that the object can say.
        #expect(telemetry(in: serviceData("D2FC404A020C")) == [contradictory(.bthome)])
        #expect(telemetry(in: serviceData("D2FC404AFFFF")) == [contradictory(.bthome)])
        #expect(telemetry(in: serviceData("D2FC404A1E00")) == [good(.bthome, mV: 3_000)])
    }

    @Test("A temperature outside −60 to 125 °C is contradictory in each resolution")
    func temperature() {
        #expect(telemetry(in: serviceData("D2FC400290E8")) == [good(.bthome, cC: -6_000)])
        #expect(telemetry(in: serviceData("D2FC40028FE8")) == [contradictory(.bthome)])
        #expect(telemetry(in: serviceData("D2FC4002D430")) == [good(.bthome, cC: 12_500)])
        #expect(telemetry(in: serviceData("D2FC4002D530")) == [contradictory(.bthome)])
        for text in ["020080", "02FF7F", "450080", "45FF7F", "5780", "577F"] {
            #expect(telemetry(in: serviceData("D2FC40" + text)) == [contradictory(.bthome)])
        }
        #expect(telemetry(in: serviceData("6AFE03020B80")) == [contradictory(.kontakt)])
        #expect(telemetry(in: serviceData("6AFE0303130080")) == [contradictory(.kontakt)])
        let minew = telemetry(in: serviceData("E1FFA101 57 8000 3200 AABBCCDDEEFF"))
        #expect(minew == [contradictory(.minew, percent: 87)])
    }

    @Test("Two contradictory values make one contradictory frame")
    func once() {
        let frames = telemetry(in: serviceData("D2FC40 01FF 02FF7F 0C0000"))
        #expect(frames == [contradictory(.bthome)])
    }

    @Test("Of several values of one kind the first good one counts")
    func several() {
        let two = telemetry(in: serviceData("D2FC40 0157 0132 026608 021027"))
        #expect(two == [good(.bthome, percent: 87, cC: 2_150)])
        let second = telemetry(in: serviceData("D2FC40 01FF 0132"))
        #expect(second == [contradictory(.bthome, percent: 50)])
    }

    @Test("8.8 notation is rounded to the nearest hundredth, on both sides of zero")
    func rounding() {
        // −0.5 °C, 1/256 °C, −1/256 °C and 21.26953125 °C.
        for (text, cC) in [("80FF", -50), ("0100", 0), ("FFFF", 0), ("4515", 2_127)] as [(String, Int16)] {
            #expect(telemetry(in: serviceData("6AFE030313" + text)) == [good(.kontakt, cC: cC)])
        }
    }
}
