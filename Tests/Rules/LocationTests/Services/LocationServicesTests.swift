import Testing

@testable import Core

/// The services of one gateway, and their outputs, one word each with its second.
private struct Van {
    var services: LocationServices
    var outputs: [LocationOutput] = []

    init(
        _ source: LocationSettings.Source = .gpsd(host: "127.0.0.1", port: 2947),
        service: LocationSettings.Service = .standard, pausing: Activity? = nil,
        deferral: LocationSettings.Deferral? = nil
    ) {
        let standard = StandardService.Settings(
            distanceFilter_m: 10, headingFilter_deg: 5, minInterval: .seconds(1), maxInterval: .seconds(300),
            maxAge: .seconds(15))
        let settings = LocationSettings(
            source: source, service: service, standard: standard, pausing: pausing, deferral: deferral)
        services = LocationServices(settings, longestGap: .seconds(60), at: at(0))
    }

    /// The receiver reports a place, once a second.
    mutating func drive(_ seconds: ClosedRange<Int>, speed_m_s: Double = 0, accuracy_m: Double = 5) throws {
        for second in seconds {
            pass(to: second)
            let metres = Double(second - seconds.lowerBound) * speed_m_s
            let fix = try fix(Double(second), east_m: metres, accuracy_m: accuracy_m)
            let report = FixReport(
                mode: 3, at: fix.at, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
                horizontalAccuracy_m: accuracy_m)
            services.take(
                DeviceReport(device: "gps0", report: report), at: at(Double(second)), clock: fix.at, outputs: &outputs)
        }
    }

    mutating func pass(to second: Int) {
        while services.deadline <= at(Double(second)) { services.advance(to: services.deadline, outputs: &outputs) }
        services.advance(to: at(Double(second)), outputs: &outputs)
    }

    /// The outputs, without those of used and kept fixes.
    var published: [String] {
        outputs.compactMap { item in
            switch item {
            case .used, .kept: nil
            case .update(let placed): "update \((placed.came - at(0)).seconds)"
            case .track(let batch): "\(batch.finished.rawValue) \(batch.fixes.count)"
            case .status(let status): status.availability.rawValue + (status.isPaused ? " paused" : "")
            }
        }
    }
    var used: Int { outputs.count { if case .used = $0 { true } else { false } } }
}

@Suite("The location services together")
struct LocationServicesTests {
    @Test("A receiver is searched for, found and heard, and each step is published once")
    func availability() throws {
        var van = Van()
        van.pass(to: 0)
        van.services.found(devices: [], at: at(1), outputs: &van.outputs)
        van.services.found(devices: ["gps0"], at: at(2), outputs: &van.outputs)
        try van.drive(3...5)
        van.services.lostConnection(at: at(6), outputs: &van.outputs)
        #expect(van.published == ["no_device", "searching", "update 3.0", "located", "absent"])
    }

    @Test("Without a fix for max_age_s the receiver searches again")
    func tunnel() throws {
        var van = Van()
        try van.drive(0...5)
        van.pass(to: 30)
        #expect(van.published.last == "searching")
        try van.drive(31...31)
        #expect(van.published.last == "located")
    }

    @Test("Rejected fixes are counted by reason, and tell nothing")
    func rejected() throws {
        var van = Van()
        try van.drive(0...1, accuracy_m: 500)
        van.services.takeMalformed()
        let figures = van.services.figures(at: at(2))
        #expect(figures.fixes.used == 0)
        #expect(figures.fixes[.inaccurate] == 2)
        #expect(figures.fixes[.malformed] == 1)
        #expect(van.used == 0)
    }

    @Test("A fixed place is published once, is always there, and needs no receiver")
    func fixed() throws {
        var van = Van(.fixed(try place(), horizontalAccuracy_m: 10))
        van.pass(to: 100_000)
        #expect(van.published == ["update 0.0"])
        #expect(van.services.status.availability == .located)
        #expect(!van.services.listens)
        #expect(van.services.last?.age(at: at(100_000)) == .zero)
    }

    @Test("A fixed place gives a fix a second while fixes are needed")
    func fixedIsAsked() throws {
        var van = Van(.fixed(try place(), horizontalAccuracy_m: 10))
        van.pass(to: 10)
        van.services.ask(until: at(100), at: at(10), outputs: &van.outputs)
        van.pass(to: 20)
        #expect(van.used == 12)
        van.services.ask(until: nil, at: at(20), outputs: &van.outputs)
        van.pass(to: 30)
        #expect(van.used == 12)
        #expect(van.published == ["update 0.0"])
    }

    @Test("A source that is turned off is off, and has no work")
    func off() {
        var van = Van(.none)
        van.pass(to: 10)
        #expect(van.services.status.availability == .off)
        #expect(van.published.isEmpty)
        #expect(!van.services.listens)
        #expect(van.services.deadline == .distantFuture)
    }

    @Test("Standing for two minutes pauses a car: it tells the pause and no place, until it moves")
    func pause() throws {
        var van = Van(pausing: .automotive)
        try van.drive(0...119)
        #expect(van.services.listens)
        try van.drive(120...120)
        #expect(van.published == ["update 0.0", "located", "located paused"])
        #expect(!van.services.listens)
        try van.drive(121...1_000)
        #expect(van.published.count == 3)
        #expect(van.services.listens == false)
        try van.drive(1_001...1_070, speed_m_s: 20)
        #expect(van.published.dropFirst(3).prefix(2) == ["located", "update 1021.0"])
        #expect(van.services.listens)
    }

    @Test("Reports during a rest are not used, because another client may keep the receiver on")
    func resting() throws {
        var van = Van(service: .significant)
        try van.drive(0...50, speed_m_s: 10)
        #expect(van.used == 1)
        #expect(van.services.figures(at: at(50)).receiverOn == .zero)
        #expect(van.services.figures(at: at(50)).fixes.allRejected == 0)
    }

    @Test("A receiver that is needed stays on, and its reports do not disturb the looks")
    func asked() throws {
        var van = Van(service: .significant)
        try van.drive(0...0)
        van.services.ask(until: at(100), at: at(1), outputs: &van.outputs)
        try van.drive(1...20, speed_m_s: 100)
        #expect(van.used == 21)
        #expect(van.published == ["update 0.0", "located"])
        van.services.ask(until: nil, at: at(20), outputs: &van.outputs)
        #expect(!van.services.listens)
        #expect(van.services.figures(at: at(100)).receiverOn == .seconds(19))
    }

    @Test("A receiver that is asked for in vain rests again after the timeout")
    func askedInVain() throws {
        var van = Van(service: .significant)
        try van.drive(0...0)
        van.services.ask(until: at(60), at: at(1), outputs: &van.outputs)
        van.pass(to: 59)
        #expect(van.services.listens)
        van.pass(to: 60)
        #expect(!van.services.listens)
    }

    @Test("Deferred, each fix is kept, and a batch comes with the place of its last fix")
    func deferred() throws {
        var van = Van(deferral: .init(distance_m: 0, timeout: .seconds(60)))
        try van.drive(0...100, speed_m_s: 10)
        #expect(van.published == ["located", "timeout 60", "update 59.0"])
        van.services.stop(at: at(101), outputs: &van.outputs)
        #expect(van.published.suffix(2) == ["stopped 41", "update 100.0"])
        #expect(van.outputs.count { if case .kept = $0 { true } else { false } } == 101)
    }

    @Test("A pause tells the fixes kept; the looks of a pause are published when it goes on")
    func deferredPause() throws {
        var van = Van(pausing: .automotive, deferral: .init(distance_m: 0, timeout: .seconds(600)))
        try van.drive(0...120)
        #expect(van.published == ["located", "stopped 121", "update 120.0", "located paused"])
        try van.drive(121...2_000)
        #expect(van.published.count == 4)
        let looks = van.used - 121
        #expect(looks == 31)
        try van.drive(2_001...2_800, speed_m_s: 20)
        #expect(van.published.dropFirst(4).prefix(2) == ["located", "timeout 33"])
    }
}
