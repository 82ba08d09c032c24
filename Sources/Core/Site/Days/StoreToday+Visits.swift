/// Visits begin and end.
extension StoreToday {
    mutating func note(_ output: GatewayOutput, at now: Instant) {
        switch output {
        case .transition(let transition, let record) where transition.instance.zone == nil:
            note(transition, record)
        case .exit(let instance, let event, let at) where instance.zone == nil:
            if let stay = event.lateStay {
                let visit = begin(instance.region, enteredAt: stay.enteredAt, isSeen: stay.beginning != .partial)
                end(visit, of: instance.region, stay, at: at)
            } else if let visit = places.removeValue(forKey: instance)?.visit {
                end(visit, of: instance.region, nil, at: at)
            }
        case .forgotten(let instances, let at):
            for instance in instances {
                if let visit = places.removeValue(forKey: instance)?.visit {
                    end(visit, of: instance.region, nil, at: at)
                }
            }
        default: break
        }
    }

    private mutating func note(_ transition: RegionTransition, _ record: RegionRecord?) {
        let region = transition.instance.region
        var place = places[transition.instance] ?? Place()
        // A region is told of as soon as it has a state, also before its first visit.
        if hasRoom(for: region), place.state != transition.state { changes.regions.insert(region) }
        place.state = transition.state
        switch transition.state {
        case .unknown: break
        case .inside:
            let enteredAt = record?.stay?.enteredAt ?? transition.since
            let isSeen = record?.stay.map { $0.beginning != .partial } ?? (transition.event != nil)
            if let visit = place.visit {
                place.visit = corrected(visit, of: region, enteredAt: enteredAt, isSeen: isSeen)
            } else {
                place.visit = begin(region, enteredAt: enteredAt, isSeen: isSeen)
            }
        case .outside:
            var stay: RegionStay?
            if case .exit(let told)? = transition.event?.kind { stay = told }
            if let visit = place.visit { end(visit, of: region, stay, at: transition.since) }
            places[transition.instance] = nil
            return
        }
        places[transition.instance] = place
    }

    /// Whether a region is one of those that are told of.
    mutating func hasRoom(for region: String) -> Bool {
        if counts[region] != nil { return true }
        guard counts.count < TodayReport.maxRegions else { return false }
        counts[region] = DayCounts(hours: day.hours.count)
        changes.regions.insert(region)
        return true
    }

    private mutating func begin(_ region: String, enteredAt: Instant, isSeen: Bool) -> Visit {
        var visit = Visit(enteredAt: enteredAt, countsToday: false)
        guard hasRoom(for: region) else {
            if resumption != .sameDay {
                omitted = min(omitted + 1, StoredDays.most)
                changes.day = true
            }
            return visit
        }
        visit.entry = isSeen ? hour(of: enteredAt) : nil
        visit.countsToday = true
        if resumption == .none { add(1, to: visit.entry, of: region) }
        if resumption != .sameDay { count(1, of: region) }
        return visit
    }

    /// A visit began at another time than was told.
    private mutating func corrected(
        _ visit: Visit, of region: String, enteredAt: Instant, isSeen: Bool
    ) -> Visit {
        var corrected = visit
        corrected.enteredAt = enteredAt
        guard visit.countsToday, enteredAt != visit.enteredAt || isSeen != (visit.entry != nil) else {
            return corrected
        }
        corrected.entry = isSeen ? hour(of: enteredAt) : nil
        if corrected.entry != visit.entry {
            add(-1, to: visit.entry, of: region)
            add(1, to: corrected.entry, of: region)
        }
        return corrected
    }

    /// - Parameter stay: what the exit says; `nil` where none was told.
    private mutating func end(_ visit: Visit, of region: String, _ stay: RegionStay?, at instant: Instant) {
        guard visit.countsToday else { return }
        if let stay {
            _ = corrected(visit, of: region, enteredAt: stay.enteredAt, isSeen: stay.beginning != .partial)
        }
        changes.regions.insert(region)
        let end = timebase.wall(stay?.lastHeardAt ?? instant)
        if end < day.from {
            // It was over before the day began, and the store learns it only now.
            count(-1, of: region)
        } else if let stay, stay.beginning != .partial, stay.ending != .unmonitored {
            counts[region]?.stays.note(stay.dwell)
        }
    }

    private mutating func count(_ change: Int64, of region: String) {
        guard let visits = counts[region]?.visits else { return }
        counts[region]?.visits = min(max(0, visits + change), StoredDays.most)
        changes.regions.insert(region)
    }

    private func hour(of instant: Instant) -> EntryHour? {
        let time = timebase.wall(instant)
        if let hour = day.hour(of: time) { return EntryHour(day: day.number, hour: hour) }
        guard time < day.from else { return EntryHour(day: day.number, hour: day.hours.count - 1) }
        let earlier = localTime.day(at: time)
        return earlier.hour(of: time).map { EntryHour(day: earlier.number, hour: $0) }
    }

    /// Corrects the curve of the day, or of an earlier one that has one.
    private mutating func add(_ change: Int64, to entry: EntryHour?, of region: String) {
        guard let entry else { return }
        if entry.day == day.number, let known = counts[region]?.entries, known.indices.contains(entry.hour) {
            counts[region]?.entries[entry.hour] = min(max(0, known[entry.hour] + change), StoredDays.most)
            changes.regions.insert(region)
        } else if let known = past[entry.day]?[region], known.indices.contains(entry.hour) {
            past[entry.day]?[region]?[entry.hour] = min(max(0, known[entry.hour] + change), StoredDays.most)
            changes.past.insert(Changes.PastRecord(day: entry.day, region: region))
            changes.regions.insert(region)
        }
    }
}
