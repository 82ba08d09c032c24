@testable import Core

/// The shop floor: the devices there, and their advertisements.
struct Shop {
    static let uuid = ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2)
    static let strangersUUID = ProximityUUID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)

    private(set) var devices: [Device] = []
    /// Whether every visitor stays long enough for the agent to learn the beacon's interval, so that the count is
    /// certain.
    let isPlain: Bool
    private var chance: Chance
    /// The number of the flood's next advertisement, which distinguishes them.
    private var floodNumber: UInt16 = 0

    init(seed: UInt64, duration: TimeSpan, hasFlood: Bool) {
        chance = Chance(seed: seed, stream: "shop")
        let end = Instant.origin + duration
        isPlain = chance.happens(0.8)
        let stormInterval = chance.happens(0.3) ? chance.span(20, 60) : nil
        for major in 1...3 {
            for minor in 1...chance.number(1...2) {
                let identity = BeaconIdentity(uuid: Self.uuid, major: UInt16(major), minor: UInt16(minor))
                devices.append(beacon(identity, until: end, stormInterval: stormInterval))
            }
        }
        if chance.happens(0.8) {
            devices.append(bystander(interval: chance.span(0.4, 0.5), until: end))
        }
        if hasFlood { devices.append(flood(until: end)) }
    }

    private mutating func beacon(_ identity: BeaconIdentity, until end: Instant, stormInterval: TimeSpan?) -> Device {
        let isRotating = chance.happens(0.6)
        let every = stormInterval ?? chance.span(30, 300)
        let address = isRotating ? Device.privateAddress(&chance) : Device.staticAddress(&chance)
        var device = Device(
            kind: isRotating ? .rotating(every: every) : .fixed, identity: identity, interval: chance.span(0.5, 1.3),
            rssi_dbm: Int8(-chance.number(45...85)), visits: visits(until: end), loss: chance.happens(0.5) ? 0.05 : 0,
            address: address)
        if isRotating { device.rotatesAt = .origin + (stormInterval ?? chance.span(1, 60)) }
        return device
    }

    private mutating func visits(until end: Instant) -> [Range<Instant>] {
        if chance.happens(0.25) { return [.origin..<(.distantFuture)] }
        var visits: [Range<Instant>] = []
        var begin = Instant.origin + chance.span(0, 60)
        while begin < end {
            let leaves = begin + (isPlain ? chance.spread(15, 200) : chance.spread(2, 200))
            visits.append(begin..<leaves)
            begin = leaves + chance.spread(3, 120)
        }
        return visits
    }

    private mutating func bystander(interval: TimeSpan, until end: Instant) -> Device {
        Device(
            kind: .bystander, identity: BeaconIdentity(uuid: Self.strangersUUID, major: 0, minor: 0),
            interval: interval, rssi_dbm: -80, visits: [.origin..<(.distantFuture)], loss: 0,
            address: Device.staticAddress(&chance))
    }

    private mutating func flood(until end: Instant) -> Device {
        let begin = Instant.origin + chance.span(10, 200)
        return Device(
            kind: .flood, identity: BeaconIdentity(uuid: Self.strangersUUID, major: 0, minor: 0),
            interval: .milliseconds(20), rssi_dbm: -60, visits: [begin..<(begin + chance.span(2, 10))], loss: 0,
            address: Device.privateAddress(&chance))
    }

    /// The beacon that comes in after a flood.
    static let visitor = BeaconIdentity(uuid: uuid, major: 40_000, minor: 1)

    /// Adds a flood of made-up beacons of the shop's own UUID, 50 a second.
    mutating func addFlood(from begin: Instant, lasting span: TimeSpan) -> Int {
        devices.append(
            Device(
                kind: .flood, identity: BeaconIdentity(uuid: Self.uuid, major: 0, minor: 0),
                interval: .milliseconds(20), rssi_dbm: -60, visits: [begin..<(begin + span)], loss: 0,
                address: Device.privateAddress(&chance)))
        return devices.count - 1
    }

    /// Adds a real beacon that comes in.
    mutating func addVisitor(from begin: Instant, lasting span: TimeSpan) -> Int {
        devices.append(
            Device(
                kind: .fixed, identity: Self.visitor, interval: .milliseconds(700), rssi_dbm: -50,
                visits: [begin..<(begin + span)], loss: 0, address: Device.staticAddress(&chance)))
        return devices.count - 1
    }

    /// The time of each device's first advertisement.
    mutating func firstTimes() -> [(device: Int, at: Instant)] {
        devices.indices.compactMap { index in
            devices[index].visits.first.map { (index, $0.lowerBound + chance.span(0, 1)) }
        }
    }

    /// A device advertises: returns the controller's report, if it hears it, and the time of the next one.
    mutating func advertise(_ index: Int, at now: Instant) -> (packet: [UInt8]?, next: Instant?) {
        if now >= devices[index].rotatesAt, case .rotating(let every) = devices[index].kind {
            devices[index].address = Device.privateAddress(&chance)
            while devices[index].rotatesAt <= now { devices[index].rotatesAt += every }
        }
        if case .flood = devices[index].kind {
            floodNumber &+= 1
            devices[index].address = Device.privateAddress(&chance)
            devices[index].identity = BeaconIdentity(uuid: devices[index].identity.uuid, major: floodNumber, minor: 0)
        }
        let device = devices[index]
        let isHeard = device.isThere(at: now) && !chance.happens(device.loss)
        return (isHeard ? packet(of: device) : nil, device.nextTime(after: now, &chance))
    }

    private func packet(of device: Device) -> [UInt8] {
        if case .bystander = device.kind {
            return Device.packet([3, 3, 0x0F, 0x18], from: device.address, rssi_dbm: device.rssi_dbm)
        }
        return Device.packet(of: device.identity, from: device.address, rssi_dbm: device.rssi_dbm)
    }
}
