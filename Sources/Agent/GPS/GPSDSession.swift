import Core

/// The connection to gpsd. The session connects, reconnects after a pause that doubles, and turns the receivers on and
/// off.
///
/// The connection stays open while the receivers are off. gpsd opens the receivers for clients that watch, and closes
/// them when no client has watched for a minute. Connected clients that do not watch make no difference to it. An open
/// connection reports the end of gpsd at once. A gpsd that was started with `-n` keeps its receivers open for ever.
struct GPSDSession: Sendable {
    /// The longest time for an attempt, gpsd's greeting included.
    static let greetingLimit = TimeSpan.seconds(10)
    /// The longest time for an answer. While gpsd opens a receiver it does nothing else.
    static let answerLimit = TimeSpan.seconds(20)
    /// A gpsd whose receivers are on reports something each second. After this silence the session asks anew for
    /// reports, and gpsd lists its receivers again. gpsd does not report by itself that a receiver was unplugged, and
    /// drops that receiver only after a while.
    static let silence = TimeSpan.seconds(30)
    /// gpsd closes a connection that does not watch and has been silent for 15 minutes.
    static let restingQuestion = TimeSpan.seconds(300)
    /// Pauses between attempts, the first and the longest.
    static let pauses = TimeSpan.seconds(1)...TimeSpan.seconds(60)
    /// A connection that lasted this long was a good one, and resets the pause.
    static let goodConnection = TimeSpan.seconds(10)
    /// The most octets before the greeting. A peer that sends more is not gpsd.
    static let greetingSize = 4_096

    private struct Connection {
        var since: Instant
        var heardAt: Instant
        /// The time of a request that has no answer yet.
        var askedAt: Instant?
        /// The receivers' paths, once they are known.
        var devices: [String]?
    }

    private enum State {
        /// Not started, or stopped.
        case idle
        case pausing(until: Instant)
        case connecting(since: Instant)
        /// `octets`: octets received before the end of the greeting.
        case greeting(since: Instant, octets: Int)
        case open(Connection)
    }

    private var state = State.idle
    private var pause = DoublingPause(pauses)
    private var decoder = GPSDDecoder()
    private var lines = GPSDLines()
    /// True if the receivers should be on.
    private(set) var isListening = false

    init() {}

    /// The time at which `advance` has something to do.
    var deadline: Instant {
        switch state {
        case .idle: .distantFuture
        case .pausing(let until): until
        case .connecting(let since), .greeting(let since, _): since + Self.greetingLimit
        case .open(let connection):
            connection.askedAt.map { $0 + Self.answerLimit }
                ?? connection.heardAt + (isListening ? Self.silence : Self.restingQuestion)
        }
    }

    /// Octets of an incomplete line, at most `GPSDLines.limit`.
    var waiting: Int { lines.waiting }

    // MARK: - What happened

    /// The agent needs its place from now on.
    mutating func start(at now: Instant) -> [GPSDAction] {
        guard case .idle = state else { return [] }
        return connect(at: now)
    }

    /// The agent ends, or needs no place any more. gpsd ends a client's watch with its connection.
    mutating func stop() -> [GPSDAction] {
        defer { state = .idle }
        switch state {
        case .idle, .pausing: return []
        case .connecting, .greeting, .open: return [.close]
        }
    }

    /// Turns the receivers on or off.
    mutating func listen(_ isListening: Bool, at now: Instant) -> [GPSDAction] {
        guard isListening != self.isListening else { return [] }
        self.isListening = isListening
        guard case .open = state else { return [] }
        return [isListening ? ask(GPSDRequest.watch, at: now) : ask(GPSDRequest.unwatch, at: now)]
    }

    /// The connection is made; gpsd speaks first.
    mutating func connected(at now: Instant) -> [GPSDAction] {
        guard case .connecting = state else { return [] }
        lines = GPSDLines()
        decoder = GPSDDecoder()
        state = .greeting(since: now, octets: 0)
        return []
    }

    /// The connection could not be made, or it ended.
    mutating func failed(_ failure: GPSDFailure, at now: Instant) -> [GPSDAction] {
        switch state {
        case .idle, .pausing: []
        case .connecting, .greeting, .open: lose(failure, at: now)
        }
    }

    /// Octets came from gpsd.
    mutating func received(_ octets: some Collection<UInt8>, at now: Instant) -> [GPSDAction] {
        if case .greeting(let since, let count) = state {
            // Far above any greeting, and far below the overflow of a sum.
            state = .greeting(since: since, octets: count + octets.count)
        }
        var lines = lines
        self.lines = GPSDLines()
        var actions: [GPSDAction] = []
        lines.append(octets) { actions += take($0, at: now) }
        switch state {
        case .greeting(_, let count) where count > Self.greetingSize: actions += lose(.notGPSD, at: now)
        case .greeting, .open: self.lines = lines
        // One of the lines has ended the connection; the octets behind it count no more.
        case .idle, .pausing, .connecting: break
        }
        return actions
    }

    /// Time went on.
    mutating func advance(to now: Instant) -> [GPSDAction] {
        guard now >= deadline else { return [] }
        switch state {
        case .idle: return []
        case .pausing: return connect(at: now)
        case .connecting: return lose(.unreachable(reason: "no answer within 10 s"), at: now)
        case .greeting: return lose(.silent, at: now)
        case .open(let connection) where connection.askedAt != nil: return lose(.stoppedAnswering, at: now)
        case .open: return [ask(isListening ? GPSDRequest.watch : GPSDRequest.devices, at: now)]
        }
    }

    // MARK: - What follows

    private mutating func connect(at now: Instant) -> [GPSDAction] {
        state = .connecting(since: now)
        return [.connect]
    }

    private mutating func lose(_ failure: GPSDFailure, at now: Instant) -> [GPSDAction] {
        if case .open(let connection) = state, now - connection.since >= Self.goodConnection { pause.reset() }
        state = .pausing(until: now + pause.next())
        return [.close, .report(.lost(failure))]
    }

    private mutating func ask(_ request: [UInt8], at now: Instant) -> GPSDAction {
        if case .open(var connection) = state {
            connection.askedAt = connection.askedAt ?? now
            state = .open(connection)
        }
        return .send(request)
    }

    private mutating func take(_ line: GPSDLines.Line, at now: Instant) -> [GPSDAction] {
        switch state {
        case .idle, .pausing, .connecting: return []
        case .greeting: return greet(line, at: now)
        case .open(var connection):
            guard case .text(let octets) = line, let message = try? decoder.read(octets, at: now) else {
                return [.report(.malformed)]
            }
            connection.heardAt = now
            connection.askedAt = nil
            state = .open(connection)
            return take(message, at: now)
        }
    }

    /// gpsd's first line is VERSION. A peer that begins otherwise is not gpsd.
    private mutating func greet(_ line: GPSDLines.Line, at now: Instant) -> [GPSDAction] {
        guard case .text(let octets) = line, case .version(let version)? = try? decoder.read(octets, at: now) else {
            return lose(.notGPSD, at: now)
        }
        guard version.protocolMajor == GPSDVersion.major else { return lose(.otherProtocol(version), at: now) }
        state = .open(Connection(since: now, heardAt: now))
        return [
            .report(.connected(version)), ask(isListening ? GPSDRequest.watch : GPSDRequest.devices, at: now),
        ]
    }

    private mutating func take(_ message: GPSDMessage, at now: Instant) -> [GPSDAction] {
        switch message {
        case .devices(let paths):
            return change { $0 = paths }
        case .device(let path, let isThere):
            return change { devices in
                devices.removeAll { $0 == path }
                if isThere, devices.count < GPSDMessage.maxDevices { devices.append(path) }
            }
        case .fix(let report):
            // A report that was under way when the receivers were turned off is too late.
            return isListening ? [.report(.report(report, at: now))] : []
        case .error(let text): return [.report(.complaint(text))]
        case .version, .watch, .attitude, .other: return []
        }
    }

    /// Changes the list of receivers, and reports the list if it differs.
    private mutating func change(_ body: (inout [String]) -> Void) -> [GPSDAction] {
        guard case .open(var connection) = state else { return [] }
        let former = connection.devices
        var devices = connection.devices ?? []
        body(&devices)
        connection.devices = devices
        state = .open(connection)
        return devices == former ? [] : [.report(.devices(devices))]
    }
}
