import Core

/// What `beacond check` finds out about gpsd and its receivers.
package enum GPSDFinding: Hashable, Sendable, CustomStringConvertible {
    /// There is no gpsd to speak with.
    case absent(HostPort, GPSDFailure)
    /// gpsd has no receiver.
    case noDevice(HostPort, GPSDVersion)
    /// There are receivers, and none of them says anything.
    case silent(devices: [String])
    /// Receivers speak, and know no place.
    case searching(devices: [String])
    /// There is a fix, but a worse one than is used.
    case inaccurate(device: String, horizontalAccuracy_m: Double, desired_m: Double)
    /// All is well.
    case located(device: String, horizontalAccuracy_m: Double)

    /// The same in the word of `status.location`.
    package var availability: LocationAvailability {
        switch self {
        case .absent: .absent
        case .noDevice: .noDevice
        case .silent, .searching, .inaccurate: .searching
        case .located: .located
        }
    }

    /// One line.
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

    /// What the operator can do, one line; empty where nothing is wrong.
    package var remedy: String {
        switch self {
        case .absent(_, let failure): failure.remedy
        case .noDevice:
            "plug the receiver in; one that is not found by itself belongs into DEVICES in /etc/default/gpsd, then systemctl restart"
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

    /// Whole metres, rounded up: nobody should be promised more than there is.
    private static func metres(_ metres: Double) -> String {
        "\(Int64(exactly: metres.rounded(.up)).map { "\($0)" } ?? "\(metres)") m"
    }
}

/// Follows what a session tells until it can be judged.
package struct GPSDTrial: Sendable {
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

    /// Whether more would change nothing.
    var isOver: Bool { failure != nil || best.map { $0.accuracy_m <= desiredAccuracy_m } == true }

    /// Whether gpsd has told that it has no receiver. One that was just started finds them a moment later.
    var hasNoDevice: Bool { devices?.isEmpty == true }

    mutating func take(_ news: GPSDNews) {
        switch news {
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

/// Whether gpsd can be reached, has a receiver, and that one a fix: for `beacond check`.
package enum GPSDCheck {
    /// A receiver that was on knows its place at once, one that gpsd has to open first within a few seconds.
    static let timeout = TimeSpan.seconds(15)

    /// How long a gpsd without a receiver is given to find one.
    static let withoutDevice = TimeSpan.seconds(3)

    /// Connects, turns the receivers on, and waits for a fix that is good enough.
    ///
    /// - Parameters:
    ///   - desiredAccuracy_m: `location.desired_accuracy_m`.
    ///   - timeout: how long it may take; what is known by then is told.
    package static func run(_ place: HostPort, desiredAccuracy_m: Double, timeout: TimeSpan = timeout) -> GPSDFinding {
        var trial = GPSDTrial(place, desiredAccuracy_m: desiredAccuracy_m)
        let start = MonotonicClock.now
        let deadline = start + timeout
        var news: [GPSDNews] = []
        let link = GPSDLink(place) { news.append($0) }
        link.start()
        link.listen(true)
        while true {
            for new in news { trial.take(new) }
            news.removeAll()
            let end = trial.hasNoDevice ? min(deadline, start + withoutDevice) : deadline
            if trial.isOver || MonotonicClock.now >= end { break }
            link.wait(bell: -1, until: end)
        }
        link.stop()
        return trial.finding
    }
}
