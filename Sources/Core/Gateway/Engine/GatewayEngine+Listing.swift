/// The lists of beacons, where `[beacons]` asks for them.
extension GatewayEngine {
    /// Starts the list with the beacons that an earlier process has listed, as far as a region still wants them.
    mutating func startList(_ heard: [HeardBeacon]) {
        let wanted = heard.filter { monitor.interest(in: $0.identity) != .none }
        register = settings.beacons.map { BeaconRegister($0, restoring: wanted, at: now) }
        listingDue = register?.nextDeadline ?? .distantFuture
    }

    /// Passes the transmitters of an identity to the register: they came, left, or fell silent.
    mutating func listChanged(_ identity: IdentitySlot) {
        guard register != nil else { return }
        for (transmitter, level_dbm) in tracker.wantedTransmitters(of: identity) {
            register?.note(transmitter, level_dbm: level_dbm, at: now)
        }
    }

    /// Passes the telemetry of the latest event to the beacons with its address. Inlined, it would make the way of each
    /// report longer.
    @inline(never)
    mutating func takeTelemetry() {
        for (address, frame) in intake.telemetry {
            register?.take(frame, from: address, of: tracker.wantedTransmitters(at: address), at: now)
        }
    }

    /// Samples the beacons in the air, and tells the list where that is due.
    ///
    /// - Parameter isEnd: tells the list in any case, with the beacons heard until then.
    mutating func list(isEnd: Bool = false, _ outputs: inout [GatewayOutput]) {
        guard let due = register?.reportDue else { return }
        register?.sample(tracker.wantedTransmitters, at: now)
        if isEnd || due <= now, let beacons = register?.report(at: now) {
            outputs.append(.message(BeaconList(beacons), at: now))
        }
        listingDue = register?.nextDeadline ?? .distantFuture
    }
}
