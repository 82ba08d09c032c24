import Core

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
