/// Days begin and are restored, and what is told of one.
extension StoreToday {
    /// Another day begins. Visits under way touch it.
    mutating func begin(_ next: LocalDay) {
        for (region, count) in counts {
            past[day.number, default: [:]][region] = count.entries
            changes.past.insert(Changes.PastRecord(day: day.number, region: region))
        }
        let former = Set(counts.keys)
        day = next
        heard = next.hours.map { _ in .zero }
        omitted = 0
        forgetDays()
        startCounts()
        for region in former where counts[region] == nil {
            changes.removedKeys.insert(StoredDays.today(region: region, number: 0, DayCounts(hours: 0)).key)
        }
        for id in places.keys.sorted(by: { StoredRegion.key($0) < StoredRegion.key($1) }) {
            guard places[id]?.visit != nil else { continue }
            let isCounted = hasRoom(for: id.region)
            places[id]?.visit?.countsToday = isCounted
            if isCounted { counts[id.region]?.visits += 1 } else { omitted += 1 }
        }
    }

    /// The regions that a day begins with: configured ones, and those that had a visit on a kept day.
    private mutating func startCounts() {
        let known = past.values.flatMap { $0.filter { $0.value.contains { $0 > 0 } }.keys }
        let goingOn = places.filter { $0.value.visit != nil }.map(\.key.region)
        counts = [:]
        for region in configured + Set(goingOn).sorted() + Set(known).sorted() { _ = hasRoom(for: region) }
    }

    /// Curves that are too old go, and those of days that are still to come: the clock was set back.
    private mutating func forgetDays() {
        let kept = (day.number - Self.keptDays)..<day.number
        for (number, regions) in past where !kept.contains(number) {
            for region in regions.keys {
                changes.removedKeys.insert(StoredDays.past(region: region, number: number, entries: []).key)
            }
            past[number] = nil
        }
    }

    mutating func restore(_ records: [StoredDays]) {
        var stored: (number: Int64, from: WallTime, heard_s: [Int64], omitted: Int64)?
        var storedCounts: [String: DayCounts] = [:]
        for record in records {
            switch record {
            case .day(let number, let from, let heard_s, let omitted): stored = (number, from, heard_s, omitted)
            case .past(let region, let number, let entries): past[number, default: [:]][region] = entries
            case .today: break
            }
        }
        guard let stored else { return }
        for case .today(let region, stored.number, let counts) in records { storedCounts[region] = counts }
        // A machine without a clock of its own begins in the past, until it has asked for the time.
        if stored.number > day.number, !timebase.isSynced { day = localTime.day(number: stored.number) }
        heard = day.hours.map { _ in .zero }
        if stored.number == day.number, stored.from == day.from {
            resumption = .sameDay
            omitted = stored.omitted
            for (region, count) in storedCounts.sorted(by: { $0.key < $1.key }).prefix(TodayReport.maxRegions)
            where count.entries.count == day.hours.count { counts[region] = count }
            for (hour, seconds) in stored.heard_s.enumerated() where heard.indices.contains(hour) {
                heard[hour] = .seconds(Int(min(seconds, 7_200)))
            }
            forgetDays()
        } else {
            // In another zone the day begins anew, without a curve of what it was.
            resumption = .otherDay
            for (region, count) in storedCounts { past[stored.number, default: [:]][region] = count.entries }
            changes.past = Set(storedCounts.keys.map { Changes.PastRecord(day: stored.number, region: $0) })
            forgetDays()
            startCounts()
            for region in storedCounts.keys where counts[region] == nil {
                changes.removedKeys.insert(StoredDays.today(region: region, number: 0, DayCounts(hours: 0)).key)
            }
        }
    }

    func report(at now: WallTime, isHearing: Bool) -> TodayReport {
        let begun = max(1, day.hours.count { $0 <= now })
        let hours = (0..<begun).map { hour in
            let length = min(now, day.end(ofHour: hour)) - day.hours[hour]
            let share = length < .seconds(1) ? (isHearing ? 1 : 0) : heard[hour].seconds / length.seconds
            return TodayReport.Hour(from: day.hours[hour], heardShare: (min(1, share) * 100).rounded() / 100)
        }
        var present: [String: (inside: Int64, unknown: Int64)] = [:]
        for (id, place) in places {
            var found = present[id.region] ?? (0, 0)
            if place.state == .inside { found.inside += 1 } else { found.unknown += 1 }
            present[id.region] = found
        }
        let regions = counts.sorted { $0.key < $1.key }.map { id, count in
            let found = present[id] ?? (0, 0)
            return TodayReport.Region(
                id: id, visits: count.visits, present: isHearing ? found.inside : nil, unknown: found.unknown,
                medianStay_s: count.stays.median_s, entries: Array(count.entries.prefix(begun)),
                lastWeek: past[day.number - Self.keptDays]?[id])
        }
        return TodayReport(
            day: day.name, timeZone: localTime.name, from: day.from, to: day.to, hours: hours, regions: regions,
            omitted: omitted)
    }
}
