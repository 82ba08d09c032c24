/// Chooses one of several receivers.
///
/// Two good receivers differ by a few metres, so a gateway that took every report would move to and fro. One receiver
/// is used. Another replaces it only when it is clearly better for a while, or when the one in use has no fix any more.
package struct ReceiverChoice: Sendable {
    /// The most receivers remembered. gpsd itself takes at most ten.
    package static let limit = 16
    /// The ratio of accuracies up to which a receiver is clearly better than the other.
    static let better = 0.5
    /// The time for which it has to be clearly better.
    static let trial = TimeSpan.seconds(5)

    private struct Receiver {
        var device: String
        var heardAt: Instant
        /// The time and accuracy of its last fix. Metres.
        var fix: (at: Instant, accuracy_m: Double)?
        /// The time since which all its fixes are clearly better than those of the receiver in use.
        var isBetterSince: Instant?
    }

    private let maxAge: TimeSpan
    private var receivers: [Receiver] = []
    /// The receiver in use; `nil` before the first report.
    private(set) var device: String?

    /// - Parameter maxAge: the time after which a receiver's fix is too old (`max_age_s`).
    init(maxAge: TimeSpan) { self.maxAge = maxAge }

    /// Returns whether to use a report. A report without a fix is used as long as no other receiver has a fix, so that
    /// `FixIntake` counts it.
    mutating func take(_ report: DeviceReport, at now: Instant) -> Bool {
        let index = slot(of: report.device, at: now)
        receivers[index].heardAt = now
        if let fix = try? report.report.fix() { receivers[index].fix = (now, fix.horizontalAccuracy_m) }
        guard report.device != device else { return true }
        guard isDue(index, at: now) else { return false }
        device = report.device
        for index in receivers.indices { receivers[index].isBetterSince = nil }
        return true
    }

    /// Keeps only the receivers of a new connection or a new list of gpsd.
    mutating func keep(_ isThere: (String) -> Bool) {
        receivers.removeAll { !isThere($0.device) }
        if let device, !isThere(device) { self.device = nil }
    }

    /// Returns whether the receiver replaces the one in use.
    private mutating func isDue(_ index: Int, at now: Instant) -> Bool {
        guard let current = receivers.first(where: { $0.device == device }) else { return true }
        // Only a new fix makes a receiver better than another.
        guard let fix = receivers[index].fix, fix.at == now else { return false }
        guard let rival = current.fix, now - rival.at <= maxAge else {
            // The receiver in use has had no fix for long, or this is the first fix: it is used at once.
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

    /// Returns the slot of the receiver. Where there are too many, the one silent for longest is forgotten, but never
    /// the one in use.
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

package struct DeviceReport: Hashable, Sendable {
    /// The receiver's path: `/dev/ttyACM0`. Empty where there is only one, without a name.
    package var device: String
    package var report: FixReport

    package init(device: String, report: FixReport) {
        self.device = device
        self.report = report
    }
}

/// The time for which the receiver was on: `receiver_on_s` in `health`.
struct ReceiverUse: Hashable, Sendable {
    private enum State: Hashable {
        case off
        case on(since: Instant)
    }

    private var state = State.off
    private var finished = TimeSpan.zero

    init() {}

    var isOn: Bool { state != .off }

    /// Learns that the receiver was turned on or off. A repetition changes nothing.
    mutating func turn(on: Bool, at now: Instant) {
        guard on != isOn else { return }
        finished = total(at: now)
        state = on ? .on(since: now) : .off
    }

    /// Returns how long it was on since the start, up to now.
    func total(at now: Instant) -> TimeSpan {
        guard case .on(let since) = state else { return finished }
        return finished + max(now - since, .zero)
    }
}
