import Foundation
import Loopback
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("With the real gpsd", .serialized, .enabled(if: Gpsd.isInstalled, "gpsd is not installed"))
struct RealGpsdTests {
    private func start(_ port: UInt16, host: String = "127.0.0.1", listening: Bool = true) throws -> Listener {
        let listener = try Listener(port: port, host: host)
        listener.client.listen(listening)
        try listener.client.start()
        return listener
    }

    @Test(
        "Fixes come with their receiver and its heading", arguments: ["127.0.0.1", "localhost"])
    func fixes(_ host: String) async throws {
        let receiver = try Receiver()
        defer { receiver.unplug() }
        let gpsd = try Gpsd(devices: [receiver.path])
        try gpsd.start()
        let listener = try start(gpsd.port, host: host)
        try await wait("a fix with a heading") { listener.fixes.contains { $0.heading_deg != nil } }
        let fix = try #require(listener.fixes.last { $0.heading_deg != nil })
        #expect(fix.coordinate.longitude == 13.3777)
        #expect((52.5163...52.5174).contains(fix.coordinate.latitude))
        #expect((90...102).contains(try #require(fix.heading_deg)))
        #expect(listener.devices.last == [receiver.path])
        #expect(!listener.all().contains(.malformed))
        #expect(listener.wakeCount > 0)
    }

    @Test("A receiver is opened while it is wanted, and is closed and silent while it is not")
    func rest() async throws {
        let receiver = try Receiver()
        defer { receiver.unplug() }
        let gpsd = try Gpsd(devices: [receiver.path])
        try gpsd.start()
        let listener = try start(gpsd.port, listening: false)
        try await wait("the receiver to be reported") { listener.devices.last == [receiver.path] }
        #expect(try !gpsd.holds(receiver.path))
        #expect(listener.fixes.isEmpty)
        listener.client.listen(true)
        try await wait("a fix") { !listener.fixes.isEmpty }
        #expect(try gpsd.holds(receiver.path))
        listener.client.listen(false)
        // The client's thread may be handling a report. Later reports would be seen below.
        try await Task.sleep(for: .milliseconds(500))
        listener.reset()
        // gpsd closes the receiver when no client has watched for a minute, while the client is still connected.
        try await wait("the receiver to be let rest") { try !gpsd.holds(receiver.path) }
        // gpsd may send nothing in this minute, so an empty list is right.
        #expect(!listener.all().contains { if case .report = $0 { true } else { false } })
        #expect(listener.losses.isEmpty)
        listener.client.listen(true)
        try await wait("a fix again") { !listener.fixes.isEmpty }
    }

    @Test("The client notices a killed gpsd, and finds it again when it is back")
    func killed() async throws {
        let receiver = try Receiver()
        defer { receiver.unplug() }
        let gpsd = try Gpsd(devices: [receiver.path])
        try gpsd.start()
        let listener = try start(gpsd.port)
        try await wait("a fix") { !listener.fixes.isEmpty }
        gpsd.stop()
        try await wait("the loss") { !listener.losses.isEmpty }
        listener.reset()
        try await wait("a vain attempt") { !listener.losses.isEmpty }
        let again = try Gpsd(devices: [receiver.path], port: gpsd.port)
        try again.start()
        try await wait("a fix again") { !listener.fixes.isEmpty }
        #expect(listener.connections == 1)
    }

    @Test("An unplugged receiver reports nothing more, and is reported as gone once gpsd has noticed")
    func unplugged() async throws {
        let receiver = try Receiver()
        let gpsd = try Gpsd(devices: [receiver.path])
        try gpsd.start()
        let listener = try start(gpsd.port)
        try await wait("a fix") { !listener.fixes.isEmpty }
        // A vain attempt is possible before gpsd listens.
        listener.reset()
        receiver.unplug()
        // gpsd itself reports nothing of it before it is asked anew.
        try await wait("no receiver") { listener.devices.last == [] }
        #expect(listener.losses.isEmpty)
    }

    @Test(
        "A stopped client ends without waiting for gpsd, whether gpsd is there or not, and reports nothing more",
        arguments: [true, false])
    func stops(isThere: Bool) async throws {
        let gpsd = try Gpsd(devices: [])
        if isThere { try gpsd.start() }
        let listener = try start(gpsd.port)
        try await wait("a first word") { !listener.all().isEmpty }
        let clock = ContinuousClock()
        let took = clock.measure { listener.client.stop() }
        // The test does not depend on the machine's speed: a tenth of it is still enough.
        #expect(took < .seconds(10))
        listener.reset()
        try await Task.sleep(for: .seconds(2))
        #expect(listener.all().isEmpty)
    }

    @Test("A client that was not started makes no connection")
    func idle() async throws {
        let receiver = try Receiver()
        defer { receiver.unplug() }
        let gpsd = try Gpsd(devices: [receiver.path])
        try gpsd.start()
        try waitForPort(gpsd.port)
        let listener = try Listener(port: gpsd.port)
        listener.client.listen(true)
        try await Task.sleep(for: .seconds(1))
        #expect(listener.all().isEmpty)
        listener.client.stop()
    }

    @Test("beacond check finds a fix")
    func checkLocated() throws {
        let receiver = try Receiver()
        defer { receiver.unplug() }
        let gpsd = try Gpsd(devices: [receiver.path])
        try gpsd.start()
        try waitForPort(gpsd.port)
        let finding = GPSDCheck.run(
            HostPort(host: "127.0.0.1", port: gpsd.port), desiredAccuracy_m: 100, timeout: .seconds(300))
        guard case .located(receiver.path, let accuracy_m) = finding else {
            Issue.record("\(finding)")
            return
        }
        #expect((1...100).contains(accuracy_m))
    }

    @Test("beacond check finds no receiver, and no gpsd")
    func checkNothing() throws {
        let gpsd = try Gpsd(devices: [])
        let place = HostPort(host: "127.0.0.1", port: gpsd.port)
        let absent = GPSDCheck.run(place, desiredAccuracy_m: 100)
        #expect(absent == .absent(place, .unreachable(reason: "Connection refused")))
        try gpsd.start()
        try waitForPort(gpsd.port)
        let noDevice = GPSDCheck.run(place, desiredAccuracy_m: 100, timeout: .seconds(300))
        guard case .noDevice(place, let version) = noDevice else {
            Issue.record("\(noDevice)")
            return
        }
        #expect(version.protocolMajor == GPSDVersion.major)
    }

    /// The check does not wait for a gpsd that has just been started.
    private func waitForPort(_ port: UInt16) throws {
        let place = HostPort(host: "127.0.0.1", port: port)
        for _ in 0..<3_000 {
            guard case .absent = GPSDCheck.run(place, desiredAccuracy_m: 1_000_000, timeout: .milliseconds(100)) else {
                return
            }
            usleep(100_000)
        }
        throw TestFailure(description: "gpsd does not listen")
    }
}

@Suite("With gpsfake", .serialized, .enabled(if: Gpsfake.isInstalled, "gpsfake is not installed"))
struct GpsfakeTests {
    @Test("A log that gpsfake plays gives the fixes of a ride")
    func ride() async throws {
        let (fake, listener) = try await Gpsfake.playing()
        try await wait("the ride") { Set(listener.fixes.map(\.coordinate)).count >= 5 }
        #expect(listener.fixes.holdForAll { (52.5163...52.5175).contains($0.coordinate.latitude) })
        withExtendedLifetime(fake) {}
    }
}
