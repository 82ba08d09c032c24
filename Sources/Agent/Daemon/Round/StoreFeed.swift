import Core

/// A store's engine on the delivery loop. It turns the broker's messages and time into outputs.
///
/// No thread of its own is needed, because there is no radio that a slow disk could delay.
package final class StoreFeed: Engine {
    /// The limits of one round: a store of 64 gateways sends as much in some seconds. Messages beyond are dropped and
    /// counted.
    package static let limits = IncomingLimits(messages: 16_384, payload_bytes: 1 << 20)

    private var engine: SiteEngine
    private let topics: TopicTree
    private let stop: StopRequest?
    private var storeDue: Instant
    private var outputs: [GatewayOutput]
    /// A complaint about the last zone map, for the log.
    private var complaint: String?
    /// True if a gateway hears by the last status.
    private var publishedHearing: Bool?
    /// `nil` for one that only looks.
    private var today: StoreToday?
    private var heat: HeatMap?
    /// The joint count of people; `nil` where the configuration has none.
    private var people: StorePeople?
    private var timebase: Timebase?

    /// - Parameters:
    ///   - outputs: the engine's first outputs.
    ///   - stop: ends the process; `nil` where the process ends without it.
    ///   - today: counts the visits of days.
    ///   - heat: adds up the time in each cell of the floor plan.
    ///   - people: joins the gateways' reports of people.
    package init(
        _ engine: SiteEngine, topics: TopicTree, outputs: [GatewayOutput], stop: StopRequest?, today: StoreToday? = nil,
        heat: HeatMap? = nil, people: StorePeople? = nil, at now: Instant
    ) {
        self.today = today
        self.heat = heat
        self.people = people
        self.engine = engine
        self.topics = topics
        self.outputs = outputs
        self.stop = stop
        storeDue = now + StaySchedule.interval
    }

    /// Creates a store without history, for a command that only looks.
    package convenience init(_ site: SiteSettings, _ settings: Settings, at now: Instant) {
        var outputs: [GatewayOutput] = []
        let engine = SiteEngine(
            site, settings.gateway, distinguishesDevices: false, restoring: [], at: now, outputs: &outputs)
        self.init(engine, topics: settings.topics(of: site), outputs: outputs, stop: nil, at: now)
    }

    package func storeFigures(at now: Instant) -> StoreFigures {
        engine.figures(at: now).store ?? StoreFigures(late: 0, malformed: 0, gateways: [])
    }

    /// The zone of a beacon in the last list since the call before; `nil` where no list has it.
    package func takeZone(of target: BeaconIdentityConstraint, at now: Instant) -> ListedZone? {
        take(at: now).outputs.reversed().lazy.compactMap { ListedZone(target, in: $0) }.first
    }

    /// The topic filters for the messages of the store's gateways about themselves and their regions.
    package var filters: [String] {
        let gateways = topics.prefix + "/" + topics.site + "/+"
        return [gateways + "/status", gateways + "/region/#", zones] + (learns ? [gateways + "/beacons/+"] : [])
            + [people?.filter].compactMap(\.self)
    }

    private var zones: String { topics.topic(.gateway(.zones)) }

    /// True if the lists of beacons are read.
    private var learns: Bool { engine.settings.learns }

    /// The status's part about the radio: a store has none, and hears while any of its gateways does.
    package var status: MessageComposer.RadioStatus { .store(isHearing: engine.isHearing) }

    /// Returns what is wrong with the engine; for tests.
    func checkInvariants() -> [String] { engine.checkInvariants() }

    // MARK: As an engine

    package var wake: Int32 { stop?.wake ?? -1 }

    package var nextDeadline: Instant { min(engine.nextDeadline, people?.nextDeadline ?? .distantFuture) }

    /// Handles the broker's messages. A store answers no requests.
    @discardableResult
    package func receive(_ messages: [IncomingMessage], at now: Instant, _ timebase: Timebase) -> [Answer] {
        today?.timebase = timebase
        heat?.timebase = timebase
        self.timebase = timebase
        for message in messages {
            if people?.receive(message.topic, message.payload.octets, at: now) ?? false { continue }
            guard case .bytes(let payload) = message.payload else {
                engine.receiveMalformed()
                continue
            }
            engine.advance(through: now, outputs: &outputs)
            if message.topic == zones {
                receive(zones: payload, at: now)
                continue
            }
            do throws(GatewayMessage.Refusal) {
                let read = try GatewayMessage(topic: message.topic, payload: payload, store: topics, learns: learns)
                engine.receive(read, at: now, timebase, isRetained: message.isRetained, outputs: &outputs)
            } catch {
                if case .malformed = error { engine.receiveMalformed() }
            }
        }
        return []
    }

    /// Takes the zone map. One that is malformed changes nothing.
    private func receive(zones payload: [UInt8], at now: Instant) {
        do throws(PayloadError) {
            complaint = engine.use(try ZonesPayload.map(payload), at: now, outputs: &outputs)
        } catch {
            engine.receiveMalformed()
            complaint = "\(zones): \(error); the zone map before it counts: beacond site walk makes a new one"
        }
    }

    /// Passes time, and returns the update; at the end everything that outlives the process.
    package func take(at now: Instant) -> EngineUpdate {
        var update = EngineUpdate()
        update.isLast = stop?.isMade ?? false
        engine.advance(through: now, outputs: &outputs)
        if update.isLast { engine.publishSurges(at: now, outputs: &outputs) }
        if now >= storeDue || update.isLast {
            storeDue = now + StaySchedule.interval
            outputs.append(.stays(engine.recordsOfStays))
        }
        swap(&update.complaint, &complaint)
        people?.advance(to: now, timebase, outputs: &outputs)
        if update.isLast { people?.stop(at: now, outputs: &outputs) }
        heat?.follow(&outputs, at: now, isLast: update.isLast)
        today?.follow(
            &outputs, isHearing: engine.isHearing, isCatchingUp: engine.isCatchingUp(at: now), at: now,
            update.isLast ? .stored : .asDue)
        swap(&update.outputs, &outputs)
        if publishedHearing != engine.isHearing {
            publishedHearing = engine.isHearing
            update.radio = status
            update.outputs.append(.radio(status.covered, at: now))
        }
        return update
    }

    package func figures(at now: Instant) -> EngineFigures? {
        var figures = engine.figures(at: now)
        figures.store?.peopleRefused = people?.refused
        return EngineFigures(engine: figures)
    }
}
