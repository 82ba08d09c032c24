import Agent
import ArgumentParser
import Core
import Glibc

/// A run of `beacond site walk`: asks for zones, listens to the gateways, and shows what they hear.
struct WalkSession {
    private let connection: WalkConnection
    private let topics: TopicTree
    private let target: BeaconIdentityConstraint
    private let feed: StoreFeed
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var walk: ZoneWalk
    private var dialog: WalkDialog
    private var input = LineInput()
    private var zoneOfStore: String?
    private var lineDue = Instant.origin

    /// - Parameter zones: those of the configuration.
    init(
        _ connection: WalkConnection, _ topics: TopicTree, _ feed: StoreFeed, _ target: BeaconIdentityConstraint,
        zones: [String]
    ) {
        (self.connection, self.topics, self.feed, self.target) = (connection, topics, feed, target)
        walk = ZoneWalk(target)
        dialog = WalkDialog(zones: zones)
    }

    /// Works until the installer is done.
    ///
    /// - Parameter first: the messages that came before, the retained ones among them.
    /// - Returns: the walk; `nil` where it was dropped.
    mutating func run(_ first: [IncomingMessage]) throws -> ZoneWalk? {
        receive(first)
        // A gateway that is not listed has a zone of its id.
        let known =
            dialog.zones.isEmpty ? feed.storeFigures(at: SystemClock.now).gateways.map(\.id) : dialog.zones
        dialog = WalkDialog(zones: known + walk.formerZones)
        write(dialog.list { _ in 0 } + [WalkDialog.help])
        ask()
        while true {
            receive(connection.wait(timeout_ms: 200, wake: input.isAtEnd ? -1 : STDIN_FILENO))
            let now = SystemClock.now
            walk.advance(to: now)
            if let zone = feed.takeZone(of: target, at: now) { zoneOfStore = zone.name }
            if !walk.severalBeacons.isEmpty { throw CalibrationError.severalBeacons(walk.severalBeacons) }
            while let line = input.next() {
                switch dialog.read(line) {
                case .enter(let zone):
                    walk.enter(zone, at: now)
                    lineDue = now
                case .leave: leave()
                case .print(let lines):
                    write(lines)
                    ask()
                case .done: return walk
                case .quit: return nil
                }
            }
            if input.isAtEnd { return nil }
            show(at: now)
        }
    }

    private mutating func leave() {
        walk.leave()
        if isTerminal { write("\r\u{1B}[K") }
        write(dialog.list { [walk] in walk.seconds(in: $0) })
        ask()
    }

    private mutating func receive(_ messages: [IncomingMessage]) {
        let (now, timebase) = (SystemClock.now, SystemClock.timebase)
        feed.receive(messages, at: now, timebase)
        for message in messages {
            guard case .bytes(let payload) = message.payload else { continue }
            if message.topic == topics.topic(.gateway(.zones)) {
                if let map = try? ZonesPayload.map(payload) { walk.receive(map) }
            } else if let read = try? GatewayMessage(topic: message.topic, payload: payload, store: topics) {
                walk.receive(read, at: now)
            }
        }
    }

    /// Shows the levels: over the former line of a terminal, or a line every 5 s.
    private mutating func show(at now: Instant) {
        guard walk.zone != nil, now >= lineDue else { return }
        lineDue = now + (isTerminal ? .seconds(1) : .seconds(5))
        let width = isTerminal ? Terminal.size(of: STDERR_FILENO).width - 1 : .max
        let line = walk.line(zoneOfStore: zoneOfStore, width: width, at: now)
        write(isTerminal ? "\r" + line + "\u{1B}[K" : line + "\n")
    }

    private func ask() { if isTerminal { write("zone> ") } }

    private func write(_ lines: [String]) { write(lines.map { $0 + "\n" }.joined()) }

    private func write(_ text: String) { Output.write(text, to: STDERR_FILENO) }
}

/// The lines of standard input, without waiting for any.
struct LineInput {
    private static let longest = 4_096

    private var buffer: [UInt8] = []
    private(set) var isAtEnd = false

    /// Returns the next line that is there; `nil` for none.
    mutating func next() -> String? {
        if let line = takeLine() { return line }
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard !isAtEnd, poll(&waiting, 1, 0) > 0 else { return nil }
        var octets = [UInt8](repeating: 0, count: Self.longest)
        let count = read(STDIN_FILENO, &octets, octets.count)
        if count > 0 { buffer += octets[..<count] }
        if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { isAtEnd = true }
        return takeLine()
    }

    private mutating func takeLine() -> String? {
        if buffer.count > Self.longest { buffer.removeFirst(buffer.count - Self.longest) }
        guard let end = buffer.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
    }
}
