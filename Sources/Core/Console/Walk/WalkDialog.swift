/// The dialogue of a walk: which zones there are, what a line of the installer means, and what is shown.
package struct WalkDialog: Sendable {
    /// The request of a line.
    package enum Action: Hashable, Sendable {
        case enter(zone: String)
        case leave
        case done
        case quit
        /// Only to show these lines.
        case print([String])
    }

    /// The zones, in the order of their numbers.
    package private(set) var zones: [String]
    /// A new name that has to be entered twice, so that a slip makes no zone.
    private var proposed: String?

    /// - Parameter zones: those of the plan first; repeated names count once.
    package init(zones: [String]) {
        var seen = Set<String>()
        self.zones = zones.filter { seen.insert($0).inserted }
    }

    /// Takes a line. An empty one ends the pass.
    package mutating func read(_ line: String) -> Action {
        let text = String(line.trimming { $0 == " " || $0 == "\t" || $0 == "\r" })
        let former = proposed
        proposed = nil
        if text.isEmpty { return .leave }
        if let number = Int(text), zones.indices.contains(number - 1) { return .enter(zone: zones[number - 1]) }
        if let zone = zones.first(where: { $0.lowercased() == text.lowercased() }) { return .enter(zone: zone) }
        switch text.lowercased() {
        case "done": return .done
        case "quit": return .quit
        case "list": return .print(list(walked: { _ in 0 }))
        default: break
        }
        guard TopicName.isLevel(text), zones.count < ZoneMap.maxZones else {
            return .print([
                "\"\(text)\" can be no zone: a name has no /, + or #, and there are at most \(ZoneMap.maxZones) zones"
            ])
        }
        guard former == text else {
            proposed = text
            return .print(["\"\(text)\" is not in the list. Enter it once more to make it a zone of the store."])
        }
        zones.append(text)
        return .enter(zone: text)
    }

    /// Returns the numbered zones, with the seconds that were walked.
    package func list(walked seconds: (String) -> Int) -> [String] {
        zones.enumerated().map { number, zone in
            let walked = seconds(zone)
            return "\(number + 1) ".padded(to: 4) + zone + (walked > 0 ? "  \(walked) s" : "")
        }
    }

    package static let help =
        "In a zone, enter its number or name and walk through it. Return ends the zone, done ends the walk, quit drops it."
}

extension ZoneWalk {
    /// The most gateways of a line: it has to fit on a phone.
    private static let mostShown = 4
    /// The seconds after which silence needs an explanation.
    private static let silentFor = 5

    /// Returns the line that is shown on the way: `bakery 12 s: oven -58, door -71; the store says bakery`.
    ///
    /// - Parameter width: the most columns. A longer line would stay on a terminal.
    package func line(zoneOfStore: String?, width: Int = .max, at now: Instant) -> String {
        TerminalText.cut(line(zoneOfStore, at: now), to: width)
    }

    private func line(_ zoneOfStore: String?, at now: Instant) -> String {
        guard let zone else { return "" }
        let levels = levels(at: now).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let begin = "\(zone) \(seconds(in: zone)) s: "
        guard !levels.isEmpty else {
            let silent = stretches.last?.silent ?? 0
            return begin + "no gateway lists the beacon"
                + (silent < Self.silentFor ? "" : "; is its UUID that of a [[region]] of the gateways?")
        }
        if isDuplicated(at: now) { return begin + "several beacons have this identity: switch all but one off" }
        return begin + Self.names(levels.map { ($0.key, $0.value) }) + "; the store says \(zoneOfStore ?? "no zone")"
    }

    fileprivate static func names(_ levels: [(id: String, level_dbm: Double)]) -> String {
        let shown = levels.prefix(mostShown).map { "\($0.id) \(Figures.fixed($0.level_dbm, decimals: 0))" }
        return shown.joined(separator: ", ")
            + (levels.count > mostShown ? " and \(levels.count - mostShown) more" : "")
    }
}

extension WalkedZone {
    /// Returns a table of the zones, with what to do about each.
    package static func lines(_ zones: [WalkedZone]) -> [String] {
        let width = max(4, zones.map(\.name.count).max() ?? 0) + 2
        let head = "zone".padded(to: width) + "    s  right  heard by"
        return [head] + zones.flatMap { $0.lines(width) }
    }

    private func lines(_ width: Int) -> [String] {
        let share = right.map { "\(Int(($0 * 100).rounded())) %" } ?? "-"
        let line =
            name.padded(to: width) + "\(seconds)".leftPadded(to: 5) + share.leftPadded(to: 7) + "  "
            + ZoneWalk.names(gateways.map { ($0.id, $0.level_dbm) })
        return advice == .good ? [line] : [line, "    " + advice.text(self)]
    }
}

extension WalkedZone.Advice {
    fileprivate func text(_ zone: WalkedZone) -> String {
        let like = zone.wrong.map { "like \($0.zone) \(Int(($0.share * 100).rounded())) %: " } ?? ""
        switch self {
        case .good: return ""
        case .unheard: return "no gateway heard the beacon here: add one"
        case .tooShort: return "too short to count: walk it for 20 s"
        case .fewGateways(1): return like + "only one gateway hears it: add another one near"
        case .fewGateways(let count): return like + "only \(count) gateways hear it: add one near"
        case .walkAgain: return like + "walk it once more, also to its corners"
        case .alike: return like + "put a gateway into one of the two zones, or make them one zone"
        }
    }
}

extension String {
    /// Returns the text with spaces behind it, up to a width.
    package func padded(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }

    fileprivate func leftPadded(to width: Int) -> String {
        count >= width ? self : String(repeating: " ", count: width - count) + self
    }
}

extension StringProtocol {
    /// Returns the text without characters at both ends.
    fileprivate func trimming(_ isLeft: (Character) -> Bool) -> SubSequence {
        var rest = self[...]
        while let first = rest.first, isLeft(first) { rest = rest.dropFirst() }
        while let last = rest.last, isLeft(last) { rest = rest.dropLast() }
        return rest
    }
}

/// The zone of a beacon in a store's list.
package struct ListedZone: Hashable, Sendable {
    /// `nil` where no zone is likely.
    package let name: String?

    /// Returns `nil` where the output is no list of a beacon that matches.
    package init?(_ target: BeaconIdentityConstraint, in output: GatewayOutput) {
        let list = output.content(ListedBeacons.self)
        guard let beacon = list?.beacons.first(where: { target.matches($0.identity) }) else { return nil }
        name = beacon.place?.zone
    }
}
