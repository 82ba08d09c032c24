import Testing

@testable import Agent
@testable import Core

@Suite("A line of gpsd")
struct GPSDMessageTests {
    private func read(_ text: String) -> GPSDMessage? { try? GPSDMessage(line: Array(text.utf8)) }

    private func fix(_ fields: String) -> FixReport? {
        guard case .fix(let report)? = read("{\"class\":\"TPV\",\"mode\":3,\(fields)}") else { return nil }
        return report.report
    }

    @Test("The first line tells the version of gpsd")
    func version() {
        let line = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
        #expect(read(line) == .version(GPSDVersion(release: "3.22", protocolMajor: 3, protocolMinor: 14)))
    }

    @Test("A TPV is a fix, with its receiver")
    func tpv() {
        let line = #"""
            {"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-11-21T12:00:07.250Z","ept":0.005,"lat":52.5170,
            "lon":13.3777,"altHAE":79.1,"altMSL":34.5,"alt":35,"epx":17.24,"epy":15.217,"track":0.5,"speed":11.112,"eph":16.21}
            """#
        let report = FixReport(
            mode: 3, at: WallTime(microseconds: 1_795_262_407_250_000), latitude: 52.517, longitude: 13.3777,
            horizontalAccuracy_m: 10, altitude_m: 34.5, speed_m_s: 11.112, course_deg: 0.5)
        #expect(read(line) == .fix(DeviceReport(device: "/dev/ttyACM0", report: report)))
    }

    @Test("Without altMSL, which older versions lack, alt is the altitude")
    func altitude() {
        #expect(fix(#""alt":34.5"#)?.altitude_m == 34.5)
    }

    @Test("Without eph its two parts give the accuracy, and without those it is unknown")
    func accuracy() {
        #expect(fix(#""epx":16.21,"epy":0.0001"#).map { ($0.horizontalAccuracy_m * 1_000).rounded() } == 10_000)
        #expect(fix(#""epx":16.21"#)?.horizontalAccuracy_m == ReportedAccuracy.unknown_m)
    }

    @Test("null is unknown")
    func nulls() {
        #expect(fix(#""lat":null,"lon":null,"eph":null"#)?.latitude == nil)
    }

    @Test("Without a time it is a report but no fix")
    func withoutTime() {
        let report = fix(#""lat":1,"lon":2"#)
        #expect(report?.at == nil)
        #expect(throws: FixRejection.malformed) { try report?.fix() }
    }

    @Test("A leap second is the end of the second before")
    func leapSecond() {
        #expect(
            fix(#""time":"2016-12-31T23:59:60.500Z""#)?.at?.microseconds == 1_483_228_799_999_999)
    }

    @Test("Without a receiver's name there is only one")
    func withoutDevice() {
        guard case .fix(let report)? = read(#"{"class":"TPV","mode":1}"#) else {
            Issue.record("it is a TPV")
            return
        }
        #expect(report.device.isEmpty)
    }

    @Test(
        "All other kinds of message are read",
        arguments: [
            (#"{"class":"DEVICES","devices":[]}"#, GPSDMessage.devices([])),
            (
                #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"},{"path":"/dev/b"}]}"#,
                .devices(["/dev/a", "/dev/b"])
            ),
            (
                #"{"class":"DEVICE","path":"/dev/a","activated":"2026-11-23T06:29:25.028Z"}"#,
                .device(path: "/dev/a", isThere: true)
            ), (#"{"class":"DEVICE","path":"/dev/a","activated":0}"#, .device(path: "/dev/a", isThere: false)),
            (#"{"class":"WATCH","enable":false,"json":true}"#, .watch(isEnabled: false)),
            (
                #"{"class":"ATT","device":"/dev/a","heading":96.5,"mag_st":"N"}"#,
                .attitude(device: "/dev/a", heading_deg: 96.5)
            ), (#"{"class":"ATT","device":"/dev/a","pitch":1}"#, .attitude(device: "/dev/a", heading_deg: nil)),
            (#"{"class":"ERROR","message":"Unrecognized request '?BOGUS'"}"#, .error("Unrecognized request '?BOGUS'")),
            (#"{"class":"SKY","device":"/dev/a","satellites":[{"PRN":5,"used":false}]}"#, .other),
            (#"{"class":"PPS","device":"/dev/a","real_sec":1}"#, .other),
        ])
    func others(_ line: String, message: GPSDMessage) {
        #expect(read(line) == message)
    }

    @Test(
        "A damaged line, and a field of the wrong type, are refused",
        arguments: [
            "", "{", "[]", "42", "$GPRMC,120000.00,V,,,,,,,211126,,,N*79", "{}", #"{"class":7}"#, #"{"class":"TPV"}"#,
            #"{"class":"TPV","mode":9}"#, #"{"class":"TPV","mode":-1}"#, #"{"class":"TPV","mode":"3"}"#,
            #"{"class":"TPV","mode":3,"lat":NaN}"#, #"{"class":"TPV","mode":3,"lat":nan}"#,
            #"{"class":"TPV","mode":3,"lat":1e999}"#, #"{"class":"TPV","mode":3,"lat":"52.5"}"#,
            #"{"class":"TPV","mode":3,"lon":Infinity}"#, #"{"class":"TPV","mode":3,"time":1269617400.5}"#,
            #"{"class":"TPV","mode":3,"time":"yesterday"}"#, #"{"class":"TPV","mode":3,"time":"2026-13-40T25:61:61Z"}"#,
            #"{"class":"TPV","mode":3,"device":3}"#, #"{"class":"DEVICES"}"#, #"{"class":"DEVICES","devices":[1]}"#,
            #"{"class":"ATT","heading":"north"}"#, #"{"class":"VERSION","release":"3.22"}"#,
            #"{"class":"VERSION","release":"3.22","proto_major":1e300,"proto_minor":0}"#,
            #"{"class":"WATCH","enable":1}"#,
            "{\"class\":\"ERROR\",\"message\":\"\u{0}\"}",
        ])
    func malformed(_ line: String) {
        #expect(read(line) == nil)
    }

    @Test("A very large number is read, and judged by the fix's rules")
    func largeNumbers() {
        #expect(fix(#""lat":1e308,"lon":-1e308"#)?.latitude == 1e308)
    }

    @Test("Receivers and texts beyond the limits are ignored")
    func limits() {
        let many = (0..<40).map { "{\"path\":\"/dev/\($0)\"}" }.joined(separator: ",")
        guard case .devices(let paths)? = read("{\"class\":\"DEVICES\",\"devices\":[\(many)]}") else {
            Issue.record("it is a list of receivers")
            return
        }
        #expect(paths.count == GPSDMessage.maxDevices)
        let long = String(repeating: "x", count: 5_000)
        #expect(
            read("{\"class\":\"ERROR\",\"message\":\"\(long)\"}")
                == .error(String(repeating: "x", count: GPSDMessage.maxText)))
    }
}
