import Foundation
import TestAir
import Testing

@testable import Core

@Suite("Messages and records of a circle have the fields of the contract")
struct CirclePayloadTests {
    private let timebase = Timebase(wallAtOrigin: WallTime(microseconds: 1_700_000_000_123_999), isSynced: true)
    private let instance = RegionInstanceID(region: "depot")
    private let circle: Circle
    private let place: Coordinate

    init() throws {
        circle = Circle(center: try #require(Coordinate(latitude: 52.5163, longitude: 13.3777)), radius_m: 150)
        place = try #require(Coordinate(latitude: 52.51873951, longitude: -13.3777004))
    }

    private func composer(_ location: LocationForm = .include) -> MessageComposer {
        .of("van", site: "fleet", version: "1.0.0", form: .pseudonym, location: location)
    }

    private var event: RegionEvent {
        let stay = RegionStay(
            enteredAt: .origin - .seconds(60), lastHeardAt: .origin - .seconds(20), beginning: .partial,
            ending: .inferred)
        return RegionEvent(
            .exit(stay), by: .circle(CircleObservation(circle: circle, distance_m: 271.44)),
            location: EventLocation(coordinate: place, horizontalAccuracy_m: 4.26, age: .milliseconds(250)))
    }

    private let common: Set = ["schema", "at", "clock", "site", "gateway", "epoch", "seq", "type", "region"]

    @Test("An exit: centre, radius and distance in place of uuid, major and minor; last_inside_at; the place")
    func exit() throws {
        let payload = try json(
            Message(composer().event(event, of: instance, epoch: "e", seq: 4, at: .origin, timebase)))
        #expect(
            Set(payload.keys)
                == common.union([
                    "center", "radius_m", "distance_m", "location", "entered_at", "last_inside_at", "dwell_s",
                    "partial",
                    "inferred",
                ]))
        #expect(payload["center"] as? [String: Double] == ["latitude": 52.5163, "longitude": 13.3777])
        #expect(payload["radius_m"] as? Double == 150 && payload["distance_m"] as? Double == 271.4)
        #expect(
            payload["location"] as? [String: Double] == [
                "latitude": 52.5187395, "longitude": -13.3777004, "horizontal_accuracy_m": 4.3, "age_s": 0.25,
            ])
        #expect(payload["dwell_s"] as? Double == 40)
        #expect(payload["last_inside_at"] as? String == "2023-11-14T22:13:00.123Z")
    }

    @Test("With location = \"omit\" no place is published; the circle itself is, which the operator has named")
    func omit() throws {
        let message = composer(.omit).event(event, of: instance, epoch: "e", seq: 4, at: .origin, timebase)
        let payload = try json(Message(message))
        #expect(payload["distance_m"] == nil && payload["location"] == nil && payload["center"] != nil)
        let published = PublishedState(
            .outside, since: .origin, at: .origin, detail: .circle(CircleObservation(circle: circle, distance_m: 271)))
        let state = try json(composer(.omit).state(published, of: instance, epoch: "e", eventSeq: 4, timebase))
        #expect(state["distance_m"] == nil && state["radius_m"] as? Double == 150)
    }

    @Test("A state names its circle, and the gateway's distance from its centre")
    func state() throws {
        let published = PublishedState(
            .outside, since: .origin, at: .origin, detail: .circle(CircleObservation(circle: circle, distance_m: 271)))
        let payload = try json(composer().state(published, of: instance, epoch: "e", eventSeq: 4, timebase))
        #expect(
            Set(payload.keys) == [
                "schema", "at", "clock", "epoch", "region", "center", "radius_m", "distance_m", "state", "since",
                "event_seq",
            ])
    }

    // MARK: - Records

    @Test(
        "A damaged record of a circle counts as none",
        arguments: ["of_latitude=91", "of_longitude=x", "of_radius_m=0", "of_radius_m=nan"])
    func damaged(word: String) {
        let line =
            "kind=circle v=1 state=outside since_wall_us=1 event_seq=1 of_latitude=1 of_longitude=1 of_radius_m=1 \(word)"
        #expect(StoredRegion.read(Array(line.utf8), key: "depot", timebase, bootID: nil) == .nothing)
    }
}
