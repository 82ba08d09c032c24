/// Which of several receivers is believed.
///
/// Two good receivers are a few metres apart, so that a gateway that took whichever speaks would move to and fro. One is
/// used, and another takes its place only when it is clearly better for a while, or when the one in use has no fix any more.
package struct ReceiverChoice: Sendable {
    /// What becomes of a report.
    enum Verdict: Hashable, Sendable {
        /// It is of the receiver in use.
        case used
        /// It is of a receiver that is in use from now on, in place of another or of none.
        case switched(from: String?)
        /// Another receiver is in use.
        case passedOver
    }

    /// Receivers that are remembered. gpsd itself takes no more than ten.
    package static let limit = 16
    /// A receiver is clearly better while its accuracy is at most this share of the other's.
    static let better = 0.5
    /// For how long it has to be.
    static let trial = TimeSpan.seconds(5)

    private struct Receiver {
        package var device: String
        var heardAt: Instant
        /// When its last fix came, and how good that was. Metres.
        var fix: (at: Instant, accuracy_m: Double)?
        /// Since when each of its fixes was clearly better than those of the receiver in use.
        var isBetterSince: Instant?
    }

    private let maxAge: TimeSpan
    private var receivers: [Receiver] = []
    /// The receiver in use; `nil` before the first report.
    private(set) var device: String?

    /// - Parameter maxAge: a receiver without a fix for longer has none (`max_age_s`).
    init(maxAge: TimeSpan) {
        self.maxAge = maxAge
    }

    /// Whether a report is to be used. Reports without a fix are, too, as long as no other receiver has one: that there is none
    /// is for `FixIntake` to count.
    mutating func take(_ report: DeviceReport, at now: Instant) -> Verdict {
        let index = slot(of: report.device, at: now)
        receivers[index].heardAt = now
        if let fix = try? report.report.fix() { receivers[index].fix = (now, fix.horizontalAccuracy_m) }
        if report.device == device { return .used }
        guard isDue(index, at: now) else { return .passedOver }
        let former = device
        device = report.device
        for index in receivers.indices { receivers[index].isBetterSince = nil }
        return .switched(from: former)
    }

    /// gpsd was connected anew, or has told which receivers it has: those that are gone make room.
    mutating func keep(_ isThere: (String) -> Bool) {
        receivers.removeAll { !isThere($0.device) }
        if let device, !isThere(device) { self.device = nil }
    }

    /// Whether the receiver takes the place of the one in use.
    private mutating func isDue(_ index: Int, at now: Instant) -> Bool {
        guard let current = receivers.first(where: { $0.device == device }) else { return true }
        // Only a fix of this moment makes a receiver better than another.
        guard let fix = receivers[index].fix, fix.at == now else { return false }
        guard let rival = current.fix, now - rival.at <= maxAge else {
            // Neither has had a fix for long, or this is the first: it is used at once.
            return true
        }
        guard fix.accuracy_m <= rival.accuracy_m * Self.better else {
            receivers[index].isBetterSince = nil
            return false
        }
        let since = receivers[index].isBetterSince ?? now
        receivers[index].isBetterSince = since
        return now - since >= Self.trial
    }

    /// Where the receiver stands. Where there are too many, the one that has been silent for longest is forgotten, but not the
    /// one in use.
    private mutating func slot(of device: String, at now: Instant) -> Int {
        if let index = receivers.firstIndex(where: { $0.device == device }) { return index }
        let newcomer = Receiver(device: device, heardAt: now)
        if receivers.count >= Self.limit {
            let others = receivers.indices.filter { receivers[$0].device != self.device }
            if let index = others.min(by: { receivers[$0].heardAt < receivers[$1].heardAt }) {
                receivers[index] = newcomer
                return index
            }
        }
        receivers.append(newcomer)
        return receivers.count - 1
    }
}

/// What one of several receivers said.
package struct DeviceReport: Hashable, Sendable {
    /// The receiver's path: `/dev/ttyACM0`. Empty where there is but one, which nobody has named.
    package var device: String
    package var report: FixReport

    package init(device: String, report: FixReport) {
        self.device = device
        self.report = report
    }
}

/// How long the receiver was on: `receiver_on_s` in `health`.
struct ReceiverUse: Hashable, Sendable {
    private enum State: Hashable {
        case off
        case on(since: Instant)
    }

    private var state = State.off
    private var finished = TimeSpan.zero

    init() {}

    var isOn: Bool { state != .off }

    /// The receiver was turned on or off; said again, it changes nothing.
    mutating func turn(on: Bool, at now: Instant) {
        guard on != isOn else { return }
        finished = total(at: now)
        state = on ? .on(since: now) : .off
    }

    /// How long it was on since the start, the present time included.
    func total(at now: Instant) -> TimeSpan {
        guard case .on(let since) = state else { return finished }
        return finished + max(now - since, .zero)
    }
}
