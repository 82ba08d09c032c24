import Core

// gpsd's protocol (gpsd_json(5), major 3): one JSON object a line, ended by CR LF; its `class` names the kind of
// message. The agent reads these classes and fields. Fields in brackets may be missing; `null` counts as missing.
//
//     VERSION  release: text, proto_major: integer, proto_minor: integer           the first line of every connection
//     DEVICES  devices: list of DEVICE                                              answers ?DEVICES and ?WATCH
//     DEVICE   path: text, [activated: time, or 0 for one that is gone]             a receiver came or went
//     WATCH    enable: boolean                                                      answers ?WATCH
//     TPV      mode: 0…3, [device: text, time: ISO 8601, lat, lon: degrees, eph, epx, epy: m (95 %),
//              altMSL, alt: m, speed: m/s, track: degrees from true north]          a fix, or that there is none
//     ATT      [device: text, heading: degrees from true north]                     the compass
//     ERROR    message: text                                                        a request that gpsd did not understand
//
// gpsd before 3.20 calls the altitude above mean sea level `alt`. The agent ignores all other classes, such as SKY.

/// A message of gpsd: one line.
enum GPSDMessage: Hashable, Sendable {
    case version(GPSDVersion)
    /// The paths of all receivers that gpsd has, at most `GPSDMessage.maxDevices`.
    case devices([String])
    /// A receiver came or went.
    case device(path: String, isThere: Bool)
    case watch(isEnabled: Bool)
    /// A receiver's report on its place, without its compass.
    case fix(DeviceReport)
    /// The direction of a receiver's front. Degrees from true north; `nil` where the receiver does not report it.
    case attitude(device: String, heading_deg: Double?)
    /// gpsd's complaint, cut at `GPSDMessage.maxText`.
    case error(String)
    /// A class that the agent does not need.
    case other

    /// The most receivers that are counted. gpsd itself takes no more than ten.
    static let maxDevices = ReceiverChoice.limit
    /// Characters that are kept of a text from gpsd.
    static let maxText = 256
}

/// The version of a gpsd.
package struct GPSDVersion: Hashable, Sendable {
    /// The major number of the protocol that this decoder reads. In another version the same names may mean anything.
    static let major = 3

    /// gpsd's own version: `3.22`.
    var release: String
    var protocolMajor: Int
    var protocolMinor: Int
}

/// A line that gpsd cannot have written: it is no JSON, or has a field of the wrong type.
struct GPSDMalformedLine: Error, Hashable, Sendable, CustomStringConvertible {
    var description: String
}

extension GPSDMessage {
    /// SKY is the longest line and comes with every fix. Every gpsd begins it like this.
    private static let sky = Array(#"{"class":"SKY""#.utf8)

    /// Reads a line without its line feed.
    ///
    /// - Throws: where the line is damaged. No input traps.
    init(line: some Collection<UInt8>) throws(GPSDMalformedLine) {
        if line.starts(with: Self.sky) {
            self = .other
            return
        }
        do throws(PayloadError) {
            var fields = try PayloadFields(Array(line))
            self = try Self.read(&fields)
        } catch {
            throw GPSDMalformedLine(description: "\(error)")
        }
    }

    private static func read(_ fields: inout PayloadFields) throws(PayloadError) -> GPSDMessage {
        switch try fields.text("class") {
        case "VERSION":
            return .version(
                GPSDVersion(
                    release: try cut(fields.text("release")), protocolMajor: try fields.integer("proto_major"),
                    protocolMinor: try fields.integer("proto_minor")))
        case "DEVICES":
            let paths = try fields.list("devices") { device throws(PayloadError) in try cut(device.text("path")) }
            return .devices(Array(paths.prefix(maxDevices)))
        case "DEVICE":
            return .device(path: try cut(fields.text("path")), isThere: !isGone(&fields))
        case "WATCH": return .watch(isEnabled: try fields.boolean("enable"))
        case "TPV": return .fix(try report(&fields))
        case "ATT":
            return .attitude(device: try device(&fields), heading_deg: try fields.numberIfPresent("heading"))
        case "ERROR": return .error(cut(try fields.text("message")))
        default: return .other
        }
    }

    /// gpsd writes `"activated":0` for a receiver that it has closed; otherwise the time is a text.
    private static func isGone(_ fields: inout PayloadFields) -> Bool {
        (try? fields.numberIfPresent("activated")) == 0
    }

    private static func device(_ fields: inout PayloadFields) throws(PayloadError) -> String {
        cut(try fields.textIfPresent("device") ?? "")
    }

    private static func report(_ fields: inout PayloadFields) throws(PayloadError) -> DeviceReport {
        let (meanSeaLevel_m, altitude_m) = (try fields.numberIfPresent("altMSL"), try fields.numberIfPresent("alt"))
        return DeviceReport(
            device: try device(&fields),
            report: FixReport(
                mode: try fields.integer("mode", 0...3), at: try fields.anyTimeIfPresent("time"),
                latitude: try fields.numberIfPresent("lat"), longitude: try fields.numberIfPresent("lon"),
                horizontalAccuracy_m: ReportedAccuracy.horizontal_m(
                    eph: try fields.numberIfPresent("eph"), epx: try fields.numberIfPresent("epx"),
                    epy: try fields.numberIfPresent("epy")),
                altitude_m: meanSeaLevel_m ?? altitude_m,
                speed_m_s: try fields.numberIfPresent("speed"), course_deg: try fields.numberIfPresent("track")))
    }

    private static func cut(_ text: String) -> String { String(text.prefix(maxText)) }
}

/// Requests to gpsd (gpsd_json(5)): a question mark, the request's name, its values, a semicolon.
enum GPSDRequest {
    /// Asks for reports: gpsd opens its receivers.
    static let watch = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
    /// Ends the reports. Once no client watches, gpsd closes its receivers after a minute.
    static let unwatch = Array("?WATCH={\"enable\":false};\n".utf8)
    /// Asks for the list of receivers, without waking any.
    static let devices = Array("?DEVICES;\n".utf8)
}

/// Turns gpsd's lines into messages, and adds each receiver's compass heading to its next fix. It serves the live
/// connection and the logs of `gpspipe -w`.
struct GPSDDecoder: Sendable {
    /// The time for which a heading is fresh: receivers report it about once a second.
    static let freshHeading = TimeSpan.seconds(2)

    private struct Heading {
        var device: String
        var heading_deg: Double
        var at: Instant
    }

    /// At most one for each receiver and `GPSDMessage.maxDevices` in all; the oldest first.
    private var headings: [Heading] = []

    init() {}

    /// Reads a line without its line feed.
    ///
    /// - Parameter now: the line's time of arrival. In a log that is the time of the last TPV line before it.
    /// - Throws: where the line is damaged.
    mutating func read(_ line: some Collection<UInt8>, at now: Instant) throws(GPSDMalformedLine) -> GPSDMessage {
        let message = try GPSDMessage(line: line)
        switch message {
        case .attitude(let device, let heading_deg):
            headings.removeAll { $0.device == device }
            guard let heading_deg else { break }
            if headings.count >= GPSDMessage.maxDevices { headings.removeFirst() }
            headings.append(Heading(device: device, heading_deg: heading_deg, at: now))
        case .fix(var fix):
            guard let index = headings.firstIndex(where: { $0.device == fix.device }) else { break }
            // A heading is used once, because a compass that has failed must not point the same way for ever.
            let heading = headings.remove(at: index)
            guard now - heading.at <= Self.freshHeading else { break }
            fix.report.heading_deg = heading.heading_deg
            return .fix(fix)
        default: break
        }
        return message
    }
}

/// Splits gpsd's octets into lines, in bounded memory.
struct GPSDLines: Sendable {
    enum Line: Hashable, Sendable {
        /// Without its line end, and not empty.
        case text(ArraySlice<UInt8>)
        /// A line of more than `limit` octets, which is dropped.
        case tooLong
    }

    /// The longest line in octets. gpsd's longest, a SKY of all satellites, has about 10 KiB.
    static let limit = 65_536

    private var rest: [UInt8] = []
    private var isDropping = false

    /// Octets of the line that is not complete yet.
    var waiting: Int { rest.count }

    /// Adds octets, and hands on each line that they complete.
    mutating func append(_ octets: some Collection<UInt8>, _ take: (Line) -> Void) {
        var octets = octets[...]
        while let end = octets.firstIndex(of: UInt8(ascii: "\n")) {
            add(octets[..<end], take)
            octets = octets[end...].dropFirst()
            // gpsd also ends its lines with a carriage return.
            if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
            if !rest.isEmpty { take(.text(rest[...])) }
            rest.removeAll(keepingCapacity: true)
            isDropping = false
        }
        add(octets, take)
    }

    private mutating func add(_ part: some Collection<UInt8>, _ take: (Line) -> Void) {
        guard !isDropping else { return }
        guard rest.count + part.count <= Self.limit else {
            isDropping = true
            rest = []
            take(.tooLong)
            return
        }
        rest += part
    }
}
