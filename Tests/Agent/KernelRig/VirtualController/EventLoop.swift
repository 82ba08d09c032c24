import Glibc

@testable import Core

/// The controller's only loop: commands from the kernel, lines from the operator, and the capture's time.
struct EventLoop {
    private var state: ControllerState
    private var playback: Playback
    private var form = ReportForm()
    /// Plugs the adapter in.
    private let plug: () throws -> any Transport
    private var device: (any Transport)?
    private var input = StandardInput()
    private var sent = 0
    private var unheard = 0
    private var hasQuit = false

    init(_ identity: ControllerIdentity, _ playback: Playback, plug: @escaping () throws -> any Transport) {
        self.plug = plug
        self.state = ControllerState(identity: identity)
        self.playback = playback
    }

    mutating func run() throws {
        device = try plug()
        while !hasQuit {
            let next = try play()
            try wait(until: next)
        }
        sayFigures()
    }

    private func sayFigures() { say("STAT sent=\(sent) unheard=\(unheard) at=\(Self.wallSeconds())") }

    private mutating func wait(until next: Instant?) throws {
        var timeout_ms: CInt = -1
        if let next {
            // Rounded up, so that the wait never ends just before something is due.
            let wait_ms = ((next - Self.now()).microseconds + 999) / 1000
            timeout_ms = CInt(min(max(0, wait_ms), 60_000))
        }
        let events = Int16(POLLIN)
        var sources = [
            pollfd(fd: device?.descriptor ?? -1, events: events, revents: 0),
            pollfd(fd: input.isOpen ? STDIN_FILENO : -1, events: events, revents: 0),
        ]
        guard poll(&sources, nfds_t(sources.count), timeout_ms) > 0 else { return }
        if sources[0].revents != 0 { try readDevice() }
        if sources[1].revents != 0 {
            for line in input.lines() { try obey(line) }
        }
    }

    /// Sends the events that are due, if the host scans, and returns the time of the next one.
    private mutating func play() throws -> Instant? {
        let step = playback.step(at: Self.now())
        for recorded in step.events {
            guard let device, let scan = state.scan else {
                unheard += 1
                continue
            }
            for event in form.events(for: recorded, scan) {
                try device.send(event: event)
                sent += 1
            }
        }
        if step.hasEnded { say("END \(Self.wallSeconds()) sent=\(sent) unheard=\(unheard)") }
        return step.next
    }

    private mutating func readDevice() throws {
        while let packet = try device?.receive() {
            switch packet {
            case .created(let index): say("INDEX hci\(index)")
            case .command(let command): try obey(command)
            }
        }
    }

    private mutating func obey(_ command: CommandPacket) throws {
        let before = state.scan
        for action in state.receive(command) {
            switch action {
            case .send(let event): try device?.send(event: event)
            case .say(let line): say(line)
            }
        }
        if state.scan != before { form.reset() }
        if state.scan != nil, playback.isWaiting {
            playback.start(at: Self.now())
            say("PLAYING \(Self.wallSeconds())")
        }
    }

    private mutating func obey(_ line: String) throws {
        guard let command = ControlLine(line) else { return say("? \(line)") }
        switch command {
        case .mute(let opcode): state.mute(opcode)
        case .unmute: state.unmute()
        case .fail(let opcode, let status): state.fail(opcode, with: status)
        case .hardwareError: try device?.send(event: HardwareErrorEvent(code: 0).octets)
        case .inject(let event): try device?.send(event: event)
        case .rate(let rate): playback.change(to: rate, at: Self.now())
        case .stat: sayFigures()
        case .quit: hasQuit = true
        case .unplug:
            device = nil
            state.powerOff()
            say("UNPLUGGED")
        case .plug:
            if device == nil { device = try plug() }
        }
    }

    private static func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Seconds since 1970 with six decimals, as `date +%s.%6N` prints them.
    private static func wallSeconds() -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let fraction = String(1_000_000 + time.tv_nsec / 1000).dropFirst()
        return "\(time.tv_sec).\(fraction)"
    }
}

/// Writes one line to standard output, at once: scripts wait for it.
private func say(_ line: String) {
    let octets = Array((line + "\n").utf8)
    _ = octets.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}
