import Core

/// The result of `beacond check` for gpsd and its receivers.
package enum GPSDFinding: Hashable, Sendable, CustomStringConvertible {
    /// No gpsd answers.
    case absent(HostPort, GPSDFailure)
    /// gpsd has no receiver.
    case noDevice(HostPort, GPSDVersion)
    /// gpsd has receivers, but none of them sends a report.
    case silent(devices: [String])
    /// Receivers send reports, but none has a fix.
    case searching(devices: [String])
    /// A receiver has a fix, but a less accurate one than the configuration desires.
    case inaccurate(device: String, horizontalAccuracy_m: Double, desired_m: Double)
    /// A receiver has a fix that is accurate enough.
    case located(device: String, horizontalAccuracy_m: Double)

    /// The finding as a word of `status.location`.
    package var availability: LocationAvailability {
        switch self {
        case .absent: .absent
        case .noDevice: .noDevice
        case .silent, .searching, .inaccurate: .searching
        case .located: .located
        }
    }

    /// One line for the operator.
    package var description: String {
        switch self {
        case .absent(let place, let failure): "\(place): \(failure)"
        case .noDevice(let place, let version): "gpsd \(version.release) at \(place) has no receiver"
        case .silent(let devices): "\(Self.list(devices)) says nothing"
        case .searching(let devices): "\(Self.list(devices)) has no fix"
        case .inaccurate(let device, let accuracy_m, let desired_m):
            "\(Self.list([device])) has a fix to \(Self.metres(accuracy_m)), and \(Self.metres(desired_m)) is desired"
        case .located(let device, let accuracy_m):
            "\(Self.list([device])) has a fix to \(Self.metres(accuracy_m))"
        }
    }

    /// A remedy for the operator, one line; empty where all is well.
    package var remedy: String {
        switch self {
        case .absent(_, let failure): failure.remedy
        case .noDevice:
            "plug the receiver in; if gpsd does not find it, add it to DEVICES in /etc/default/gpsd, then systemctl restart"
                + " gpsd; gpsd drops what it may not open, so its user must be in the group of the device: usermod -aG dialout gpsd"
        case .silent:
            "look whether it says anything (gpsd must be stopped: systemctl stop gpsd gpsd.socket; gpsmon DEVICE); check its cable,"
                + " and its speed: -s in GPSD_OPTIONS of /etc/default/gpsd"
        case .searching:
            "its antenna must see the sky; the first fix after a day off takes a minute, under a roof it may never come; watch it with"
                + " cgps (apt install gpsd-tools)"
        case .inaccurate: "give its antenna more sky, or raise location.desired_accuracy_m"
        case .located: ""
        }
    }

    private static func list(_ devices: [String]) -> String {
        let named = devices.filter { !$0.isEmpty }
        return named.isEmpty ? "the receiver" : named.joined(separator: ", ")
    }

    /// Whole metres, rounded up, so that no better accuracy is reported than there is.
    private static func metres(_ metres: Double) -> String {
        "\(Int64(exactly: metres.rounded(.up)).map { "\($0)" } ?? "\(metres)") m"
    }
}

/// Collects a session's updates until there is enough to judge.
struct GPSDTrial: Sendable {
    let place: HostPort
    let desiredAccuracy_m: Double
    private var version: GPSDVersion?
    private var devices: [String]?
    private var failure: GPSDFailure?
    private var hasReports = false
    /// The best fix so far.
    private var best: (device: String, accuracy_m: Double)?

    init(_ place: HostPort, desiredAccuracy_m: Double) {
        self.place = place
        self.desiredAccuracy_m = desiredAccuracy_m
    }

    /// True if further updates could not change the finding.
    var isOver: Bool { failure != nil || best.map { $0.accuracy_m <= desiredAccuracy_m } == true }

    /// True if gpsd has reported that it has no receiver. A gpsd that has just started finds its receivers a moment
    /// later.
    var hasNoDevice: Bool { devices?.isEmpty == true }

    mutating func take(_ update: GPSDUpdate) {
        switch update {
        case .connected(let version): self.version = version
        case .devices(let devices): self.devices = devices
        case .report(let report, _):
            hasReports = true
            guard let fix = try? report.report.fix() else { return }
            if best.map({ fix.horizontalAccuracy_m < $0.accuracy_m }) ?? true {
                best = (report.device, fix.horizontalAccuracy_m)
            }
        case .lost(let failure): self.failure = self.failure ?? failure
        case .malformed, .complaint: break
        }
    }

    var finding: GPSDFinding {
        if let best {
            return best.accuracy_m <= desiredAccuracy_m
                ? .located(device: best.device, horizontalAccuracy_m: best.accuracy_m)
                : .inaccurate(device: best.device, horizontalAccuracy_m: best.accuracy_m, desired_m: desiredAccuracy_m)
        }
        if let failure { return .absent(place, failure) }
        guard let version else { return .absent(place, .silent) }
        guard let devices, !devices.isEmpty else { return .noDevice(place, version) }
        return hasReports ? .searching(devices: devices) : .silent(devices: devices)
    }
}

/// Checks, for `beacond check`, whether gpsd answers, has a receiver, and that receiver has a fix.
package enum GPSDCheck {
    /// A receiver that was on has its fix at once; a receiver that gpsd opens first has it within a few seconds.
    static let timeout = TimeSpan.seconds(15)

    /// The time that a gpsd without a receiver gets to find one.
    static let withoutDevice = TimeSpan.seconds(3)

    /// Connects, turns the receivers on, and waits for a fix that is good enough.
    ///
    /// - Parameter timeout: the longest wait. The finding then covers what is known by that time.
    package static func run(_ place: HostPort, desiredAccuracy_m: Double, timeout: TimeSpan = timeout) -> GPSDFinding {
        var trial = GPSDTrial(place, desiredAccuracy_m: desiredAccuracy_m)
        let start = SystemClock.now
        let deadline = start + timeout
        var updates: [GPSDUpdate] = []
        let link = GPSDLink(place) { updates.append($0) }
        link.start()
        link.listen(true)
        while true {
            for new in updates { trial.take(new) }
            updates.removeAll()
            let end = trial.hasNoDevice ? min(deadline, start + withoutDevice) : deadline
            if trial.isOver || SystemClock.now >= end { break }
            link.wait(bell: -1, until: end)
        }
        link.stop()
        return trial.finding
    }
}
