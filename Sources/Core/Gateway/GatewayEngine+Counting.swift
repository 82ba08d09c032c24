/// The people of an engine, beside their counts: their part in captures, and the report for the store.
extension GatewayEngine {
    /// Returns whether a capture may keep an event. Beside a region of people, it keeps only advertisements of other iBeacons: a
    /// person's device may send more than its iBeacon, under the same address.
    package func mayKeep(_ event: Span<UInt8>) -> Bool {
        guard countsPeople else { return true }
        guard AdvertisingEvent.isAdvertising(event) else {
            return event.count > 0
                && [EventCode.commandComplete, EventCode.commandStatus, EventCode.hardwareError].contains(event[0])
        }
        var rejects = RejectCounts()
        var reports = AdvertisingReports(event, rejects: &rejects)
        while let (report, range) = reports.next(event, rejects: &rejects) {
            var (isBeacon, isPerson) = (false, false)
            IBeaconFrame.forEach(in: report, event.extracting(range), rejects: &rejects) { frame in
                isBeacon = true
                if monitor.interest(in: frame.identity) == .counted { isPerson = true }
            }
            if !isBeacon || isPerson { return false }
        }
        return rejects.total == 0
    }

    func isOfPeople(_ region: String) -> Bool {
        countsPeople && (monitor.instances.region(region)?.isOfPeople ?? false)
    }

    /// Returns a report with the people that are inside, for the store's joint count.
    mutating func withPeople(_ report: PeopleReport) -> PeopleReport {
        var report = report
        let instances = monitor.instances
        for slot in instances.slots {
            guard let presence = instances[slot].machine.presence, instances.region(of: slot).isOfPeople,
                case .beacon(let region) = instances.region(of: slot)
            else { continue }
            guard report.people.count < PeopleReport.most else {
                report.isComplete = false
                break
            }
            let levels_dbm = membership.identities(of: slot).flatMap { tracker.listed($0) }
                .compactMap { tracker.hearing(of: $0).regionLevel?.rssi_dbm }
            report.people.append(
                PeopleReport.Person(
                    region: region.id, name: "\(region.uuid)/\(instances[slot].id.levels)",
                    entered_ms: max(0, (now - presence.enteredAt).microseconds / 1_000),
                    heard_ms: max(0, (now - presence.lastHeardAt).microseconds / 1_000), rssi_dbm: levels_dbm.max(),
                    wasThere: presence.beginning != .observed))
        }
        return report
    }
}
