import Agent
import Core
import Glibc

/// The view of `beacond scan`.
struct ScanView {
    enum Form {
        /// A table that is drawn again and again.
        case picture(Terminal)
        /// The table's lines, one after the other, for a pipe or a file.
        case plain
        case json
        /// Standard output carries the capture.
        case silent
    }

    private var form: Form
    private let output = Output(descriptor: STDOUT_FILENO)
    private var loggedStatus = LogOnce<String>(limit: 1)
    /// The table on the terminal, which stays there at the end.
    private var last: (ScanSnapshot, ScanStatus)?

    init(_ form: Form) { self.form = form }

    var isPicture: Bool { if case .picture = form { true } else { false } }

    /// True if the reader is gone.
    var isBroken: Bool {
        if case .picture(let terminal) = form { terminal.isBroken } else { output.isBroken }
    }

    /// Lines are often kept in a file, so they come less often.
    var interval: TimeSpan { isPicture ? ScanSession.redrawInterval : .seconds(1) }

    mutating func begin() {
        withTerminal { $0.enter() }
        if case .plain = form { write(["AT                       " + ScanTable.plainTitle]) }
    }

    mutating func show(_ snapshot: ScanSnapshot, _ status: ScanStatus) {
        last = (snapshot, status)
        switch form {
        case .picture(let terminal):
            terminal.draw(ScanTable.lines(snapshot, status, size: terminal.size))
        case .plain:
            writeStatus(snapshot, status)
            let at = ScanTable.time(SystemClock.wall)
            write(ScanTable.plainLines(snapshot).map { at + " " + $0 })
        case .json:
            output.write(ScanJSON.line(snapshot, status, at: SystemClock.wall))
            output.flush()
        case .silent:
            writeStatus(snapshot, status)
        }
    }

    /// Handles Ctrl-Z: the shell has the terminal until the process is continued.
    mutating func suspend() {
        withTerminal { $0.leave() }
        SignalBell.actByDefault(SIGTSTP)
        withTerminal { $0.enter() }
    }

    /// Gives the terminal back, with the last table on it.
    mutating func end() {
        let last = last
        withTerminal { terminal in
            terminal.leave()
            if let (snapshot, status) = last {
                let size = ScanTable.Size(width: terminal.size.width, height: .max)
                terminal.print(ScanTable.lines(snapshot, status, size: size))
            }
        }
    }

    /// Writes to standard error whenever the radio's state changes.
    private mutating func writeStatus(_ snapshot: ScanSnapshot, _ status: ScanStatus) {
        let state = "\(status.adapters): \(status.availability?.rawValue ?? "starting")"
        let text = status.remedy.isEmpty ? state : state + ": " + status.remedy
        if loggedStatus.isNew(text) { Output.complain(text) }
        if let location = status.location { Output.complain(location.line) }
    }

    private mutating func withTerminal(_ body: (inout Terminal) -> Void) {
        guard case .picture(var terminal) = form else { return }
        body(&terminal)
        form = .picture(terminal)
    }

    private func write(_ lines: [String]) {
        output.write(lines.map { $0 + "\n" }.joined().utf8)
        output.flush()
    }
}
