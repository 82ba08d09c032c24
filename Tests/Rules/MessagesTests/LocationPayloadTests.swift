import TestAir
import Testing

@testable import Core

@Suite("Messages of the place have the fields of the contract")
struct LocationPayloadTests {
    private let timebase = Timebase(wallAtOrigin: WallTime(microseconds: 1_700_000_000_123_999), isSynced: true)
    private let epoch = "01KDVDNA0T0000000000000000"
    private let place: Coordinate
    private let fix: Fix

    init() throws {
        place = try #require(Coordinate(latitude: 52.51873951, longitude: -13.3777004))
        fix = Fix(
            at: WallTime(microseconds: 1_700_000_000_000_000), coordinate: place, horizontalAccuracy_m: 4.26,
            altitude_m: 38.94, speed_m_s: 9.876, course_deg: 3.54, heading_deg: 359.94)
    }

    private var plain: Fix { Fix(at: fix.at, coordinate: place, horizontalAccuracy_m: 10) }
    private let plainText =
        #"{"at":"2023-11-14T22:13:20.000Z","latitude":52.5187395,"longitude":-13.3777004,"#
        + #""horizontal_accuracy_m":10}"#
    private let fullText =
        #"{"at":"2023-11-14T22:13:20.000Z","latitude":52.5187395,"longitude":-13.3777004,"horizontal_accuracy_m":4.3,"#
        + #""altitude_m":38.9,"speed_m_s":9.88,"course_deg":3.5,"heading_deg":359.9}"#
    private let head = #"{"schema":1,"at":"2023-11-14T22:13:21.123Z","clock":"synced","#
    /// A second after the fixes came.
    private let now = Instant.origin + .seconds(1)

    private func composer(_ location: LocationForm = .include) -> MessageComposer {
        .of("van", site: "fleet", version: "1.0.0", form: .pseudonym, location: location)
    }

    private func placed(_ fix: Fix, _ origin: PlacedFix.Origin) -> PlacedFix {
        PlacedFix(fix: fix, came: .origin, origin: origin)
    }

    private var received: PlacedFix { placed(fix, .receiver(device: "/dev/ttyUSB0", age: .milliseconds(124))) }

    private func text(_ message: Message) -> String { String(decoding: message.payload, as: UTF8.self) }

    // MARK: - location

    @Test("An update has the fix, its age when published, the service and the receiver")
    func update() {
        let message = composer().location(received, service: .significant, at: now, timebase)
        #expect(message.topic == "beacons/fleet/van/location")
        #expect(
            text(message) == head + #""service":"significant","fix":"# + fullText
                + #","age_s":1.124,"device":"/dev/ttyUSB0"}"#)
    }

    @Test("Fields that a receiver does not report are left out, and so is a missing name")
    func sparse() {
        let placed = placed(plain, .receiver(device: nil, age: .zero))
        let message = composer().location(placed, service: .standard, at: now, timebase)
        #expect(text(message) == head + #""service":"standard","fix":"# + plainText + #","age_s":1}"#)
    }

    @Test("A configured place has the time of the message, and no age")
    func fixed() {
        let placed = placed(plain, .configuration)
        let message = composer().location(placed, service: .standard, at: now, timebase)
        let fix = plainText.replacing("22:13:20.000", with: "22:13:21.123")
        #expect(text(message) == head + #""service":"standard","fix":"# + fix + #","age_s":0}"#)
    }

    // MARK: - location/track

    private func track(_ batch: TrackBatch) -> NumberedMessage {
        let number = MessageNumber(epoch: epoch, series: .batches, seq: 7)
        return composer().numbered(batch, .track, composer().head(at: now, timebase), number)
    }

    @Test("A batch has its number, its reason, and its fixes, oldest first")
    func track() {
        let batch = TrackBatch(fixes: [plain, fix], finished: .distance)
        let message = track(batch)
        #expect(message.topic == "beacons/fleet/van/location/track")
        #expect(message.number == MessageNumber(epoch: epoch, series: .batches, seq: 7))
        #expect(
            text(Message(message)) == head + #""site":"fleet","gateway":"van","epoch":""# + epoch
                + #"","batch":7,"finished":"distance","fixes":["# + plainText + "," + fullText + "]}")
    }

    @Test("A batch without a fix is refused")
    func empty() throws {
        let empty = TrackBatch(fixes: [], finished: .stopped)
        let message = track(empty)
        #expect(throws: PayloadError.self) { try TrackPayload(decoding: Message(message).payload) }
    }

    // MARK: - response/location

    private func answer(_ result: Answer.Result, _ location: LocationForm = .include) throws -> String {
        let address = ReplyAddress(verb: "location", topic: "replies/me")
        let answer = Answer(address: address, at: now, result: result)
        return text(composer(location).response(answer, eventSeq: { _ in 0 }, timebase))
    }

    @Test("An answer has the fix and its age")
    func answer() throws {
        #expect(
            try answer(.location(received)) == head + #""request":"location","ok":true,"result":{"fix":"# + fullText
                + #","age_s":1.124}}"#)
    }

    @Test("A request for a place that is not published is refused, whatever the engine answers")
    func omitted() throws {
        let text = try answer(.location(received), .omit)
        #expect(text.hasPrefix(head + #""request":"location","ok":false,"error":{"code":"location_unavailable","#))
        #expect(!text.contains("52.5"))
    }

    @Test("A refusal names the missing part", arguments: LocationAvailability.allCases)
    func refused(_ availability: LocationAvailability) throws {
        let text = try answer(.refused(.locationUnavailable(availability)))
        #expect(text.contains(#""ok":false,"error":{"code":"location_unavailable","text":""#))
    }

    @Test("Only a gateway that publishes its place can be asked for it")
    func tells() {
        #expect(composer().includesPlace && !composer(.omit).includesPlace)
    }

    // MARK: - In other messages

    @Test("status has the availability of the place, and no location without its table")
    func status() {
        func status(_ location: LocationStatus?) -> String {
            text(composer().status(isOnline: true, epoch: epoch, radio: .replay, location: location, at: now, timebase))
        }
        #expect(
            status(LocationStatus(availability: .noDevice, isPaused: false))
                .hasSuffix(#""remedy":"","location":{"availability":"no_device","paused":false}}"#))
        #expect(
            status(LocationStatus(availability: .located, isPaused: true))
                .hasSuffix(#""location":{"availability":"located","paused":true}}"#))
        #expect(status(nil).hasSuffix(#""remedy":""}"#))
    }

    @Test("status has the beacon that the gateway is, and nothing of it without [advertise]")
    func advertises() throws {
        func status(_ frame: IBeaconFrame?) -> String {
            let composer = MessageComposer.of("van", site: "fleet", version: "1.0.0", advertises: frame)
            return text(composer.status(isOnline: true, epoch: epoch, radio: .replay, at: now, timebase))
        }
        let uuid = try #require(ProximityUUID("5A4BCFCE-174E-4BAC-A814-092E77F6B7E5"))
        let frame = IBeaconFrame(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 7), measuredPower_dbm: -59)
        let words =
            #""advertises":{"uuid":"5A4BCFCE-174E-4BAC-A814-092E77F6B7E5","major":1,"minor":7,"measured_power_dbm":-59}}"#
        #expect(status(frame).hasSuffix(words))
        #expect(try StatusPayload(decoding: Array(status(frame).utf8)).advertises == frame)
        #expect(!status(nil).contains("advertises"))
    }

    @Test("health counts used fixes, rejected ones by reason, and the time of the receiver")
    func health() {
        var counts = FixCounts()
        counts.used = 52
        counts[.noFix] = 3
        counts[.malformed] = 1
        var report = HealthReport()
        report.engine.location = LocationFigures(fixes: counts, receiverOn: .milliseconds(57_449))
        report.uptime_s = 60
        #expect(
            text(composer().health(report, at: now, timebase)).contains(
                #""location":{"used":52,"rejected":{"no_fix":3,"inaccurate":0,"stale":0,"time_went_back":0,"#
                    + #""out_of_range":0,"malformed":1},"receiver_on_s":57.4},"uptime_s":60"#))
    }

    // MARK: - Records

    @Test("A kept fix is read as it was stored, with the digits of messages")
    func stored() throws {
        let read = try #require(StoredFix.read(StoredFix.encoded(fix)))
        #expect(StoredFix.encoded(read) == Array(fullText.utf8))
        #expect(StoredFix.read(StoredFix.encoded(plain))?.speed_m_s == nil)
    }

    @Test("No rounding makes a full turn, or an unknown accuracy")
    func rounding() throws {
        let edge = Fix(
            at: fix.at, coordinate: place, horizontalAccuracy_m: 0.014, speed_m_s: 3, course_deg: 359.95,
            heading_deg: 359.99)
        let text = String(decoding: StoredFix.encoded(edge), as: UTF8.self)
        #expect(text.hasSuffix(#""horizontal_accuracy_m":0.1,"speed_m_s":3,"course_deg":0,"heading_deg":0}"#))
        let read = try #require(StoredFix.read(Array(text.utf8)))
        #expect(read.horizontalAccuracy_m == 0.1 && read.course_deg == 0)
    }

    @Test("Fixes sort by their time, and those of one time by their number; no two fixes share a key")
    func keys() throws {
        func fix(_ second: Double) throws -> Fix {
            Fix(
                at: .unixEpoch + .seconds(second),
                coordinate: try #require(Coordinate(latitude: 1, longitude: 2)), horizontalAccuracy_m: 5)
        }
        let keys = [
            StoredFix.key(try fix(9), 0), StoredFix.key(try fix(9), 1), StoredFix.key(try fix(10), 0),
            StoredFix.key(try fix(1_700_000_000), 7),
        ]
        #expect(keys == keys.sorted() && Set(keys).count == 4)
        #expect(keys.holdForAll(StoredFix.isKey) && !StoredFix.isKey("carts"))
    }

    @Test(
        "A damaged record is no fix",
        arguments: [
            "", "{", "{}", #"{"at":"2023-11-14T22:13:20.000Z","latitude":52,"longitude":13}"#,
            #"{"at":"yesterday","latitude":52,"longitude":13,"horizontal_accuracy_m":4}"#,
            #"{"at":"2023-11-14T22:13:20.000Z","latitude":91,"longitude":13,"horizontal_accuracy_m":4}"#,
            #"{"at":"2023-11-14T22:13:20.000Z","latitude":52,"longitude":13,"horizontal_accuracy_m":-4}"#,
        ])
    func damaged(_ value: String) {
        #expect(StoredFix.read(Array(value.utf8)) == nil)
    }
}
