/// Learns the offsets of a store's gateways, and notices when a gateway was moved, turned or covered.
///
/// Gateways that advertise hear each other. Each quarter of a day, the links are compared with the days before. Each night,
/// the offsets are solved anew. A gateway's lists change only the links on which it is the receiver, so a false gateway
/// changes little of the others' offsets.
package struct StoreLearning: Sendable {
    /// One gateway that takes part.
    private struct Member: Sendable {
        var id: String
        var place: StoredLearning.Place?
        /// The time since which its links are as they are.
        var since: WallTime
        /// The last quarter in which it published a list.
        var heardAt: WallTime
        /// True if it was off in the present quarter for a while.
        var wasAbsent = false
        /// The excess of its receiver over the others; `nil` before the first night.
        var estimate: OffsetSolver.Estimate?
    }

    /// An offset that is known worse changes nothing, dB.
    static let sureEnough_db = 3.0
    private static let maxMembers = SiteSettings.maxGateways
    /// The age of a transmitter's last report above which a list does not show its present level.
    private static let longestAge = TimeSpan.seconds(600)
    /// The time without a list after which a gateway was off, and after which it makes room for another one.
    private static let offAfter = TimeSpan.seconds(5_400), absentAfter = TimeSpan.seconds(14 * 86_400)
    /// An offset changes the report from this difference on, dB.
    private static let leastChange_db = 0.25

    private let localTime: LocalTime
    /// The offsets that the configuration names.
    private let named_db: [String: Double]
    private let places: [String: StoredLearning.Place]
    private var members: [Member] = []
    private var numbers: [String: Int] = [:]
    /// The identities that gateways say they advertise.
    private var advertised: [String: BeaconIdentity] = [:]
    /// The gateway of each identity. One that several gateways say they are belongs to none.
    private var senders: [BeaconIdentity: Int] = [:]
    private var links = LinkTable()
    private var differences = DifferenceTable()
    private var passing = PassingTable()
    private var lasting = LastingChanges()
    private var suspects = SuspectList()
    /// The present quarter of a day, with its number from 0 to 3; `nil` before the first list.
    private var quarter: (number: Int, from: WallTime, to: WallTime)?
    private var published: LearnedReport?
    /// Keys of records of gateways that take no part any more.
    private var removedKeys: [String] = []

    /// Returns `nil` where the configuration does not want it.
    package init?(_ settings: SiteSettings, _ localTime: LocalTime, restoring records: [StoredLearning]) {
        guard settings.learns else { return nil }
        self.localTime = localTime
        var places: [String: StoredLearning.Place] = [:]
        var named: [String: Double] = [:]
        for gateway in settings.gateways {
            named[gateway.id] = gateway.rssiOffset_db
            guard let point = gateway.position else { continue }
            places[gateway.id] = StoredLearning.Place(x_m: point.x_m, y_m: point.y_m, floor: gateway.floor)
        }
        (self.places, named_db) = (places, named)
        restore(records)
    }

    /// The learned offsets that are sure enough, by gateway. One that the configuration names is not among them.
    var offsets_db: [String: Double] {
        var offsets: [String: Double] = [:]
        let shift_db = anchor_db
        for member in members where named_db[member.id] == nil {
            guard let estimate = member.estimate, estimate.plusMinus_db <= Self.sureEnough_db else { continue }
            offsets[member.id] = shift_db - estimate.receive_db
        }
        return offsets
    }

    /// The number of gateways that are named as changed.
    var suspectCount: Int { suspects.entries.values.count { $0.isNamed } }

    /// The offset by which learned offsets agree with those that the configuration names.
    private var anchor_db: Double {
        let known = members.compactMap { member -> Double? in
            guard let named = named_db[member.id], let estimate = member.estimate,
                estimate.plusMinus_db <= Self.sureEnough_db
            else { return nil }
            return named + estimate.receive_db
        }
        return known.isEmpty ? 0 : known.reduce(0, +) / Double(known.count)
    }
}

/// The messages of gateways.
extension StoreLearning {
    /// Takes a gateway's status: the beacon that it is.
    mutating func receive(_ frame: IBeaconFrame?, from id: String) {
        guard advertised[id] != frame?.identity else { return }
        guard advertised[id] != nil || advertised.count < Self.maxMembers else { return }
        advertised[id] = frame?.identity
        identify()
    }

    private mutating func identify() {
        senders = [:]
        let claims = Dictionary(grouping: advertised, by: \.value)
        for (identity, gateways) in claims where gateways.count == 1 {
            if let gateway = gateways.first.flatMap({ numbers[$0.key] }) { senders[identity] = gateway }
        }
    }

    /// Takes a page of a gateway's list of beacons.
    mutating func receive(_ payload: BeaconsPayload, from id: String, at now: WallTime) {
        begin(at: now)
        guard let receiver = member(id, at: now) else { return }
        if now - members[receiver].heardAt > Self.offAfter { members[receiver].wasAbsent = true }
        members[receiver].heardAt = now
        var levels: [(sender: Int, level_dbm: Int)] = []
        for beacon in payload.beacons {
            guard let sender = senders[beacon.identity], let level_dbm = beacon.rssi_dbm,
                case .wall(let heardAt) = beacon.lastHeard, payload.head.at - heardAt <= Self.longestAge
            else { continue }
            levels.append((sender, level_dbm))
        }
        links.take(levels, by: receiver, at: now)
    }

    /// Takes the levels of a moving beacon without offsets, the gateway that hears it best first.
    mutating func receive(_ levels: [(id: String, level_dbm: Double)]) {
        let known = levels.map { (gateway: numbers[$0.id], level_dbm: $0.level_dbm) }
        guard known.count >= 2, let best = known[0].gateway else { return }
        if let second = known[1].gateway { differences.take((best, known[0].level_dbm), (second, known[1].level_dbm)) }
        for (gateway, level_dbm) in known {
            if let gateway { passing.take(level_dbm, at: gateway, near: best) }
        }
    }

    /// Returns the number of a gateway, which it gets with its first list.
    private mutating func member(_ id: String, at now: WallTime) -> Int? {
        if let known = numbers[id] { return known }
        let new = Member(id: id, place: places[id], since: now, heardAt: now)
        let number: Int
        if members.count < Self.maxMembers {
            number = members.count
            members.append(new)
        } else {
            guard let gone = members.indices.first(where: { now - members[$0].heardAt > Self.absentAfter }) else {
                return nil
            }
            number = gone
            remove(gone)
            numbers[members[gone].id] = nil
            removedKeys.append(StoredLearning.key(of: members[gone].id))
            members[gone] = new
        }
        numbers[id] = number
        identify()
        return number
    }

    private mutating func remove(_ number: Int) {
        links.remove(number)
        differences.remove(number)
        passing.remove(number)
        lasting.remove(number)
        suspects.remove(number)
    }
}

/// The quarters of a day.
extension StoreLearning {
    private mutating func begin(at now: WallTime) {
        guard quarter == nil else { return }
        let day = localTime.day(at: now)
        let number = min((day.hour(of: now) ?? 0) / 6, LinkTable.quarters - 1)
        let end =
            number + 1 < LinkTable.quarters && day.hours.count > 6 * (number + 1) ? day.hours[6 * (number + 1)] : day.to
        quarter = (number, day.hours.count > 6 * number ? day.hours[6 * number] : day.from, end)
    }

    /// Passes time, and ends the quarter if it is over. A clock that was set begins the quarter anew.
    ///
    /// - Returns: what has changed; `nil` before the end of a quarter.
    mutating func pass(to now: WallTime) -> LearnedUpdate? {
        guard let ended = quarter, now >= ended.to || now < ended.from else { return nil }
        quarter = nil
        begin(at: now)
        let readings = links.end(quarter: ended.number)
        let passed = passing.end(quarter: ended.number, absent: takeAbsent(to: ended.to))
        guard now >= ended.to else { return nil }
        let heard = LinkChanges.heard(readings)
        let changes = LinkChanges(heard, passing: LinkChanges.heard(passed.fresh + passed.carried))
        lasting.take(heard, passing: LinkChanges.heard(passed.fresh))
        let accepted = suspects.take(
            changes.verdicts, lasting: lasting.verdict, judged: changes.judged, from: ended.from, to: ended.to)
        for reading in readings where !isSuspect(reading.link) { links.learn(reading, quarter: ended.number) }
        for reading in passed.fresh where !isSuspect(reading.link) { passing.learn(reading, quarter: ended.number) }
        for number in accepted {
            links.remove(number)
            differences.remove(number)
            passing.remove(number)
            lasting.remove(number)
            members[number].since = ended.to
        }
        // The first quarter of the day is the quietest.
        if ended.number == 0 {
            differences.endDay()
            solve()
        }
        return update()
    }

    /// Returns the gateways that were off for a while in the quarter that has ended.
    private mutating func takeAbsent(to end: WallTime) -> Set<Int> {
        var absent: Set<Int> = []
        for number in members.indices {
            let isOff = end - members[number].heardAt > Self.offAfter
            if isOff || members[number].wasAbsent { absent.insert(number) }
            members[number].wasAbsent = false
        }
        return absent
    }

    /// Returns whether a link is one of a gateway that may have changed. Its level is not learned meanwhile.
    private func isSuspect(_ link: LinkTable.Direction) -> Bool {
        [link.receiver, link.sender].contains { suspects.entries[$0]?.isClear == true }
    }

    private mutating func solve() {
        var solver = OffsetSolver(
            places: members.map(\.place), links: links.levels, differences: differences.all, near: passing.near)
        for (number, estimate) in solver.solve().enumerated() { members[number].estimate = estimate }
    }

    /// Returns the records of a quarter, and the report if it has changed.
    private mutating func update() -> LearnedUpdate {
        var update = LearnedUpdate(removedKeys: removedKeys)
        for number in members.indices {
            let record = record(number)
            update.records[record.key] = record.encoded
        }
        removedKeys = []
        let report = report
        if published.map({ isOther(report, than: $0) }) ?? true {
            published = report
            update.report = report
        }
        return update
    }

    /// Returns the report of what an earlier process has learned; `nil` without any.
    mutating func firstReport() -> LearnedUpdate? {
        guard published == nil, members.contains(where: { $0.estimate != nil }) else { return nil }
        published = report
        return LearnedUpdate(report: published)
    }

    /// Returns whether a report says something new. An offset that changes by less than it is sure is not new.
    private func isOther(_ report: LearnedReport, than other: LearnedReport) -> Bool {
        guard report.suspects == other.suspects, report.gateways.map(\.id) == other.gateways.map(\.id) else {
            return true
        }
        return zip(report.gateways, other.gateways).contains { new, old in
            (new.rssiOffset_db - old.rssiOffset_db).magnitude >= Self.leastChange_db
                || (new.plusMinus_db - old.plusMinus_db).magnitude >= Self.leastChange_db
                || new.links != old.links || new.since != old.since
        }
    }

    private var report: LearnedReport {
        let shift_db = anchor_db
        var report = LearnedReport()
        for member in members.sorted(by: { $0.id < $1.id }) {
            guard let estimate = member.estimate else { continue }
            report.gateways.append(
                LearnedReport.Gateway(
                    id: member.id, rssiOffset_db: shift_db - estimate.receive_db, plusMinus_db: estimate.plusMinus_db,
                    links: estimate.links, since: member.since))
        }
        for (number, entry) in suspects.entries where entry.isNamed {
            report.suspects.append(
                LearnedReport.Suspect(
                    id: members[number].id, since: entry.since, change_db: entry.change_db, reason: entry.reason))
        }
        report.suspects.sort { $0.id < $1.id }
        return report
    }
}

/// The records that outlive the process.
extension StoreLearning {
    private func record(_ number: Int) -> StoredLearning {
        let member = members[number]
        var record = StoredLearning(id: member.id, since: member.since)
        record.place = member.place
        record.offset = member.estimate.map {
            StoredLearning.Offset(offset_db: -$0.receive_db, plusMinus_db: $0.plusMinus_db, links: $0.links)
        }
        record.suspect = suspects.entries[number]
        record.links = links.usual(of: number).map { stored($0.usual, of: $0.sender) }
        record.passing = passing.usual(of: number).map { stored($0.usual, of: $0.best) }
        record.differences = differences.all.filter { $0.pair.first == number }.map {
            StoredLearning.Difference(
                other: members[$0.pair.second].id, difference_db: $0.learned.difference_db, days: $0.learned.days)
        }
        return record
    }

    private func stored(_ usual: [LinkTable.Usual?], of other: Int) -> StoredLearning.Link {
        let quarters = usual.enumerated().compactMap { number, usual in
            usual.map {
                StoredLearning.Quarter(
                    number: number, level_dbm: Double($0.level_dbm), scatter_db: Double($0.scatter_db), days: $0.days)
            }
        }
        return StoredLearning.Link(sender: members[other].id, quarters: quarters)
    }

    /// Takes over what an earlier process has learned. A gateway that the plan has elsewhere now begins anew.
    private mutating func restore(_ records: [StoredLearning]) {
        var isKept: [Bool] = []
        for record in records.sorted(by: { $0.id < $1.id }).prefix(Self.maxMembers) {
            var member = Member(id: record.id, place: places[record.id], since: record.since, heardAt: record.since)
            isKept.append(Self.isSame(record.place, member.place))
            if Self.isSame(record.place, member.place) {
                member.estimate = record.offset.map {
                    OffsetSolver.Estimate(receive_db: -$0.offset_db, plusMinus_db: $0.plusMinus_db, links: $0.links)
                }
            }
            numbers[record.id] = members.count
            members.append(member)
        }
        for record in records {
            guard let number = numbers[record.id], isKept[number] else { continue }
            restore(record, of: number, isKept)
        }
    }

    /// Returns whether two places are one. A record has millimetres.
    private static func isSame(_ stored: StoredLearning.Place?, _ place: StoredLearning.Place?) -> Bool {
        guard let stored, let place else { return stored == nil && place == nil }
        return stored.floor == place.floor && (stored.x_m - place.x_m).magnitude < 0.01
            && (stored.y_m - place.y_m).magnitude < 0.01
    }

    private mutating func restore(_ record: StoredLearning, of number: Int, _ isKept: [Bool]) {
        if let suspect = record.suspect { suspects.restore(suspect, of: number) }
        func usual(_ link: StoredLearning.Link) -> [LinkTable.Usual?] {
            var usual: [LinkTable.Usual?] = Array(repeating: nil, count: LinkTable.quarters)
            for quarter in link.quarters {
                usual[quarter.number] = LinkTable.Usual(
                    level_dbm: Float(quarter.level_dbm), scatter_db: Float(quarter.scatter_db), days: quarter.days)
            }
            return usual
        }
        for link in record.links {
            guard let sender = numbers[link.sender], isKept[sender] else { continue }
            links.restore(usual(link), of: LinkTable.Direction(receiver: number, sender: sender))
        }
        for link in record.passing {
            guard let other = numbers[link.sender], isKept[other] else { continue }
            passing.restore(usual(link), of: LinkTable.Direction(receiver: number, sender: other))
        }
        for difference in record.differences {
            guard let other = numbers[difference.other], isKept[other] else { continue }
            let pair = DifferenceTable.Pair(first: min(number, other), second: max(number, other))
            let learned = number < other ? difference.difference_db : -difference.difference_db
            differences.restore(.init(difference_db: learned, days: difference.days), of: pair)
        }
    }
}
