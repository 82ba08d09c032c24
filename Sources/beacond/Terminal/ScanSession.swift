import Agent
import Core
import Glibc
import Logging

/// A run of `beacond scan`: the radio loop fills the scan; the session shows it and writes the capture, until it is
/// stopped.
struct ScanSession {
    /// The time between two pictures.
    static let redrawInterval = TimeSpan.milliseconds(500)

    /// Octets that may wait for the capture file while the disk is slow.
    static let captureBacklog = 4 << 20

    private let settings: Settings
    private let scan: SharedRadio<ScanState>
    private let recent: RecentEvents?
    private let notices = NoticeBoard()
    private var view: ScanView
    private var recorder: ScanRecorder?
    private var radio: RadioStatus
    private var place: ScanPlace?
    private let end: Instant

    /// - Parameters:
    ///   - settings: the radio, the rules for tracking, and the regions of the table.
    ///   - capture: the file to write; `nil` for none.
    ///   - place: the source of the gateway's place; `nil` where it is not wanted.
    ///   - duration: the longest time.
    /// - Throws: where the capture can't be created.
    init(
        _ settings: Settings, view: ScanView, capture: String?, place: ScanPlace?, duration: TimeSpan
    ) throws(FileError) {
        let now = SystemClock.now
        recent = capture.map { _ in RecentEvents(capacity: Self.captureBacklog) }
        if let capture, let recent { recorder = try ScanRecorder(path: capture, recent: recent) }
        scan = SharedRadio(ScanState(settings.gateway, at: now))
        self.settings = settings
        self.view = view
        self.place = place
        end = now + duration
        radio = RadioStatus(settings)
    }

    /// Works until a signal, the end of the time, or the reader of standard output ends it.
    ///
    /// - Returns: the error of the capture, if any.
    mutating func run() throws(SystemError) -> FileError? {
        SignalBell.install([SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT, SIGPIPE])
        let logger = view.isPicture ? notices.logger : Log.make(.notice)
        let loop = try CommandRadio(settings, logger: logger)
        try loop.start(
            owner: SharedRadioOwner(shared: scan) { [recent] scan, event, adapter, instant in
                scan.receive(event, from: adapter, at: instant)
                recent?.push(event, at: instant)
            })
        view.begin()
        var next = SystemClock.now
        while !view.isBroken, recorder?.isBroken != true {
            let signals = SignalBell.wait(until: next)
            if !signals.isDisjoint(with: [SIGINT, SIGTERM, SIGHUP]) { break }
            if signals.contains(SIGTSTP) { view.suspend() }
            recorder?.drain()
            let now = SystemClock.now
            if now >= end { break }
            if now >= next || !signals.isDisjoint(with: [SIGWINCH, SIGCONT]) {
                show()
                next = min(now + view.interval, end)
            }
        }
        loop.stop()
        place?.stop()
        recorder?.finish()
        show()
        view.end()
        return recorder?.failure
    }

    private mutating func show() {
        let now = SystemClock.now
        let (snapshot, availability, dropped) = scan.withLock {
            ($0.content.snapshot(at: now), $0.availability, $0.dropped)
        }
        radio.record(availability)
        let status = ScanStatus(
            adapters: radio.adapters, availability: radio.availability, remedy: radio.remedy,
            capture: recorder?.status ?? "", notice: notices.last, dropped: dropped, location: place?.look(at: now))
        view.show(snapshot, status)
    }
}
