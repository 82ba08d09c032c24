import Testing

@testable import Core

@Suite("One transmitter, several adapters")
struct AdapterSelectionTests {
    private let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 3, minor: 4)

    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    private func sighting(_ adapter: Int, _ rssi_dbm: Double?, address: UInt64 = 1) -> Sighting {
        Sighting(
            identity: identity, address: DeviceAddress(bits: address, type: .public), measuredPower_dbm: -59,
            rssi_dbm: rssi_dbm, adapter: adapter)
    }

    /// Returns the adapters whose sightings are taken, in order and each change once. The beacon advertises every
    /// `every_s`, and adapter n hears it at `levels[n]`; `nil` where it does not hear it.
    private func taken(
        _ selection: inout AdapterSelection, from start_s: Double, to end_s: Double, every_s: Double = 0.1,
        _ levels: [Double?]
    ) -> [Int] {
        var adapters: [Int] = []
        var step = 0
        while start_s + Double(step) * every_s < end_s {
            for (adapter, level) in levels.enumerated() {
                guard let level else { continue }
                let time = at(start_s + Double(step) * every_s + Double(adapter) * 0.000_2)
                if selection.takes(sighting(adapter, level), at: time), adapters.last != adapter {
                    adapters.append(adapter)
                }
            }
            step += 1
        }
        return adapters
    }

    @Test("The first adapter that hears a transmitter stays the only one, while others are not clearly louder")
    func first() {
        var selection = AdapterSelection(capacity: 10)
        #expect(taken(&selection, from: 0, to: 60, [-70, -65]) == [0])
    }

    @Test("An adapter that is 6 dB louder takes over after 2 s, once")
    func louder() {
        var selection = AdapterSelection(capacity: 10)
        #expect(taken(&selection, from: 0, to: 1.9, [-70, -64]) == [0])
        #expect(taken(&selection, from: 1.9, to: 60, [-70, -64]) == [0, 1])
    }

    @Test("A transmitter whose levels at two adapters cross again and again does not flicker")
    func hysteresis() {
        var selection = AdapterSelection(capacity: 10)
        var adapters: [Int] = []
        for second in 0..<60 {
            let swing = second.isMultiple(of: 2) ? 4.0 : -4.0
            adapters += taken(&selection, from: Double(second), to: Double(second + 1), [-70 + swing, -70 - swing])
        }
        #expect(Set(adapters) == [0])
    }

    @Test("A burst of strong reports shorter than 2 s changes nothing")
    func burst() {
        var selection = AdapterSelection(capacity: 10)
        #expect(taken(&selection, from: 0, to: 5, [-70, -70]) == [0])
        #expect(taken(&selection, from: 5, to: 6, [-70, -50]) == [0])
        #expect(taken(&selection, from: 6, to: 20, [-70, -72]) == [0])
    }

    @Test("An adapter that does not hear a transmitter any more loses it to another after 2 s")
    func deaf() {
        var selection = AdapterSelection(capacity: 10)
        #expect(taken(&selection, from: 0, to: 10, [-60, -80]) == [0])
        #expect(taken(&selection, from: 10, to: 11.9, [nil, -80]) == [])
        #expect(taken(&selection, from: 11.9, to: 20, [nil, -80]) == [1])
    }

    @Test("A beacon that advertises every 5 s is not silent")
    func slow() {
        var selection = AdapterSelection(capacity: 10)
        #expect(taken(&selection, from: 0, to: 300, every_s: 5, [-70, -70]) == [0])
    }

    @Test("A report without an RSSI proves presence at the chosen adapter, and gives no other adapter an advantage")
    func withoutRSSI() {
        var selection = AdapterSelection(capacity: 10)
        #expect(selection.takes(sighting(0, nil), at: at(0)) == true)
        #expect(selection.takes(sighting(1, nil), at: at(1)) == false)
        #expect(selection.takes(sighting(1, nil), at: at(3)) == true)
    }

    @Test("Transmitters are followed independently")
    func separate() {
        var selection = AdapterSelection(capacity: 10)
        #expect(selection.takes(sighting(0, -60, address: 1), at: at(0)) == true)
        #expect(selection.takes(sighting(1, -60, address: 2), at: at(0)) == true)
        #expect(selection.takes(sighting(1, -60, address: 1), at: at(0)) == false)
    }

    @Test("A transmitter that was silent for a minute is forgotten, whatever room there is")
    func forgets() {
        var selection = AdapterSelection(capacity: 64)
        for address in 1...3 { _ = selection.takes(sighting(0, -60, address: UInt64(address)), at: at(0)) }
        _ = selection.takes(sighting(0, -60, address: 1), at: at(50))
        for (t_s, count) in [(59.0, 3), (61, 1), (109, 1), (111, 0)] {
            selection.removeSilent(at: at(t_s))
            #expect(selection.count == count, "\(t_s) s")
        }
    }

    @Test("Memory is bounded: beyond it all sightings are taken, and a transmitter silent for a minute gives way")
    func bounded() {
        var selection = AdapterSelection(capacity: 2)
        for address in 1...100 as ClosedRange<UInt64> {
            #expect(selection.takes(sighting(0, -60, address: address), at: at(0)) == true)
        }
        #expect(selection.count == 2)
        #expect(selection.takes(sighting(1, -60, address: 100), at: at(1)) == true, "It is not remembered.")
        #expect(selection.takes(sighting(0, -60, address: 100), at: at(61)) == true)
        #expect(selection.takes(sighting(1, -60, address: 100), at: at(61)) == false, "Now it is.")
    }

    @Test("An impossible adapter number is refused", arguments: [-1, 8])
    func unknownReceiver(number: Int) {
        var selection = AdapterSelection(capacity: 2)
        #expect(selection.takes(sighting(number, -60), at: at(0)) == false)
    }
}
