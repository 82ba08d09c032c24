/// The admission of the store's region instances, by the rules of a gateway: see `RegionMonitor`.
///
/// What a gateway tells may be made up, by somebody with a radio or by the gateway itself. So an instance of an expanded region exists
/// once a gateway has something inside, newcomers are limited by the minute, and what has been outside for longest makes room. An
/// entry is told once, and the gateway does not repeat it. So the store keeps what it holds back, *pending*, and tries again in
/// the next minute for as long as a gateway has it inside.
struct StoreAdmission: Sendable {
    let maxRegions: Int
    let maxInstances: Int
    /// How long an instance may have been outside before it goes; `forever` for no limit.
    let forgetAfter: TimeSpan
    var budget: EntryBudget
    /// Plain regions that exist, and instances of expanded ones.
    var plainCount = 0
    var instanceCount = 0
    /// The numbers of regions that wait for their admission, in the order of their entries.
    var pending: [Int] = []
    /// When those that wait are tried again.
    var retryDue = Instant.distantFuture
    /// Numbers of instances by when they were left, stale ones among them.
    var outside = TimerQueue<Int>()
    /// Places that are free, of regions and of zones.
    var freeRegions: [Int] = []
    var freeZones: [Int] = []
    var refused = RefusedEntries()

    init(_ limits: RegionLimits) {
        maxRegions = limits.maxRegions
        maxInstances = limits.maxInstances
        forgetAfter = limits.forgetAfter
        budget = EntryBudget(limit: limits.maxNewcomersPerMinute)
    }

    /// When there is something to do next.
    package var due: Instant {
        min(budget.due, retryDue, forgetAfter == .forever ? .distantFuture : outside.nextDue + forgetAfter)
    }
}

/// An entry that waits for its admission, as it was told.
struct PendingEntry: Sendable {
    var isCrossing: Bool
    var since: Instant?
    package var at: Instant
    /// The minute of `EntryBudget` in which it was refused; `nil` before it was asked for.
    var refusedInMinute: Int64?
}

extension SiteEngine {
    /// The number of a region instance that a gateway has told of.
    ///
    /// - Parameter isPresent: whether it has something inside, or had. An instance of an expanded region is not made for less.
    /// - Returns: `nil` where there is no such region, or no place for one.
    mutating func region(_ id: RegionInstanceID, isPresent: Bool, at now: Instant) -> Int? {
        if let known = regionNumbers[id] { return known }
        guard id.discriminator != .whole else {
            guard admission.plainCount < admission.maxRegions else { return refuseInstance() }
            admission.plainCount += 1
            return insert(StoreRegion(id, at: now))
        }
        guard isPresent else { return nil }
        if admission.pending.count >= admission.maxInstances, let oldest = admission.pending.first {
            // A newcomer may be real, also after a flood of others.
            admission.refused.maxInstances &+= 1
            discard(oldest)
        }
        var region = StoreRegion(id, at: now)
        region.pending = PendingEntry(isCrossing: false, at: now)
        let number = insert(region)
        admission.pending.append(number)
        return number
    }

    private mutating func refuseInstance() -> Int? {
        admission.refused.maxInstances &+= 1
        return nil
    }

    private mutating func insert(_ region: StoreRegion) -> Int {
        let number = admission.freeRegions.popLast() ?? regions.count
        var region = region
        region.notBefore = endings.end(of: region.id) ?? .origin
        if number == regions.count { regions.append(region) } else { regions[number] = region }
        regionNumbers[region.id] = number
        return number
    }

    /// Whether a region exists, or exists from now on. What it was held back with counts in place of what is given.
    mutating func isAdmitted(
        _ number: Int, _ entry: inout PendingEntry, outputs: inout [GatewayOutput]
    ) -> Bool {
        guard var pending = regions[number].pending else { return true }
        guard regions[number].claims.contains(where: \.isThere) else {
            // It was left before it was admitted, or its state still waits for its event.
            let isAwaited = gateways.all.indices.contains { early.waits(number, GatewayIndex($0)) }
            if regions[number].isMonitored, !isAwaited { discard(number) }
            return false
        }
        if pending.refusedInMinute == nil { pending = entry }
        entry = pending
        let minute = EntryBudget.minute(of: now)
        if pending.refusedInMinute == minute { return false }
        if let count = refusal(outputs: &outputs) {
            admission.refused[keyPath: count] &+= 1
            pending.refusedInMinute = minute
            regions[number].pending = pending
            if let identity = regions[number].cause?.identity {
                admission.budget.refuse(identity, of: regions[number].id.region, at: now)
            }
            admission.retryDue = EntryBudget.end(of: minute)
            return false
        }
        admission.budget.admit()
        admission.instanceCount += 1
        admission.pending.removeAll { $0 == number }
        regions[number].pending = nil
        return true
    }

    /// What counts the refusal of another instance now; `nil` where there is room, for which another may have gone.
    private mutating func refusal(outputs: inout [GatewayOutput]) -> WritableKeyPath<RefusedEntries, UInt64>? {
        guard admission.budget.hasRoom(at: now) else { return \.maxNewcomersPerMinute }
        let hasRoom = admission.instanceCount < admission.maxInstances || makeRoom(outputs: &outputs)
        return hasRoom ? nil : \.maxInstances
    }

    /// The instance that has been outside for longest makes room, where there is one.
    mutating func makeRoom(outputs: inout [GatewayOutput]) -> Bool {
        while let timer = admission.outside.removeFirst() {
            guard regions[timer.subject].isOutside(since: timer.due) else { continue }
            release(timer.subject, outputs: &outputs)
            return true
        }
        return false
    }

    /// A region was left: an instance of an expanded one goes in time.
    mutating func noteOutside(_ number: Int) {
        guard regions[number].id.discriminator != .whole, regions[number].pending == nil,
            case .outside(let since) = regions[number].standing.occupancy
        else { return }
        admission.outside.set(number, at: since)
        admission.outside.throwOutStale(of: regions.count) { [regions] in regions[$0.subject].isOutside(since: $0.due) }
    }

    /// Does what is due: held back entries are tried again, instances go, and the account of a minute is told.
    mutating func advanceAdmission(to now: Instant, outputs: inout [GatewayOutput]) {
        if admission.budget.due <= now { tellSurges(at: now, outputs: &outputs) }
        if admission.retryDue <= now {
            admission.retryDue = .distantFuture
            for number in admission.pending {
                weigh(number, isCrossing: false, at: now, outputs: &outputs)
            }
        }
        while let timer = admission.outside.first, timer.due + admission.forgetAfter <= now {
            admission.outside.removeFirst()
            if regions[timer.subject].isOutside(since: timer.due) { release(timer.subject, outputs: &outputs) }
        }
    }

    /// Tells what was held back, whether or not its minute is over.
    package mutating func tellSurges(at now: Instant, outputs: inout [GatewayOutput]) {
        for surge in admission.budget.takeSurges() { outputs.append(.surge(surge, at: now)) }
    }

    /// A region that nothing is inside of exists no more, and neither do its zones.
    mutating func release(_ number: Int, outputs: inout [GatewayOutput]) {
        var gone: [RegionInstanceID] = []
        for zone in regions[number].zones {
            gone.append(zones[zone].id)
            zoneNumbers[zones[zone].id] = nil
            zones[zone] = StoreZone(zones[zone].id, at: now)
            admission.freeZones.append(zone)
        }
        gone.append(regions[number].id)
        if regions[number].id.discriminator == .whole {
            admission.plainCount -= 1
        } else {
            admission.instanceCount -= 1
        }
        free(number)
        outputs.append(.forgotten(gone, at: now))
    }

    /// A pending instance is left before it came to exist.
    mutating func discard(_ number: Int) {
        admission.pending.removeAll { $0 == number }
        free(number)
    }

    private mutating func free(_ number: Int) {
        for beacon in regions[number].beacons.sorted() {
            remove(beacon, from: number, at: now)
            if beacons[beacon].regions.isEmpty { beacons[beacon].move(to: nil, since: now) }
        }
        for gateway in gateways.all.indices.map(GatewayIndex.init) {
            early.forget(number, gateway)
            gateways.all[gateway.number].progress.forget(number)
        }
        regionNumbers[regions[number].id] = nil
        regions[number] = StoreRegion(regions[number].id, at: now)
        admission.freeRegions.append(number)
    }
}

extension StoreRegion {
    /// Whether it exists and has been outside since that instant.
    func isOutside(since instant: Instant) -> Bool {
        pending == nil && standing.occupancy == .outside(since: instant)
    }
}
