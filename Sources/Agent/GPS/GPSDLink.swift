import Core
import Glibc

/// A session's socket, and the lookup of its host. The link carries out the session's actions on the thread of its
/// owner, and decides nothing.
final class GPSDLink {
    private enum Socket {
        case none
        /// The lookup is under way.
        case resolving
        /// Connecting to the first of these addresses; the others follow if it fails.
        case connecting(Int32, ArraySlice<HostLookup.Address>)
        case open(Int32)
    }

    /// Octets of one read, and the number of reads before other work gets its turn.
    private static let chunk = 16_384
    private static let chunksPerRound = 8

    private let place: HostPort
    private let report: (GPSDUpdate) -> Void
    private var session = GPSDSession()
    private var socket = Socket.none
    private var lookup: HostLookup?
    /// Each attempt begins with another of the host's addresses, so that an address that never answers costs one
    /// attempt.
    private var attempts = 0
    private var buffer = [UInt8](repeating: 0, count: chunk)

    /// - Parameter report: called from `wait` and the other methods.
    init(_ place: HostPort, report: @escaping (GPSDUpdate) -> Void) {
        self.place = place
        self.report = report
    }

    deinit { drop() }

    package func start() { perform(session.start(at: SystemClock.now)) }
    func stop() { perform(session.stop()) }
    func listen(_ isListening: Bool) { perform(session.listen(isListening, at: SystemClock.now)) }

    /// Waits until something happens, and handles it.
    ///
    /// - Parameter bell: another descriptor that ends the wait; -1 for none.
    func wait(bell: Int32, until limit: Instant = .distantFuture) {
        var slots = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0), interest]
        let now = SystemClock.now
        let deadline = min(session.deadline, limit)
        // Rounded up, so that the wait never ends before a timer is due; an hour where no timer is set.
        let wait_us = deadline > now ? min((deadline - now).microseconds, 3_600_000_000) : 0
        _ = poll(&slots, nfds_t(slots.count), Int32(clamping: (wait_us + 999) / 1_000))
        if slots[1].revents != 0 { proceed() }
        perform(session.advance(to: SystemClock.now))
    }

    private var interest: pollfd {
        switch socket {
        case .none: pollfd(fd: -1, events: 0, revents: 0)
        case .resolving: pollfd(fd: lookup?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        case .connecting(let descriptor, _): pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        case .open(let descriptor): pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        }
    }

    private func proceed() {
        switch socket {
        case .none: break
        case .resolving: resolved()
        case .connecting(let descriptor, let addresses): finishConnecting(descriptor, addresses)
        case .open(let descriptor): read(descriptor)
        }
    }

    private func perform(_ actions: [GPSDAction]) {
        for action in actions {
            switch action {
            case .connect: resolve()
            case .send(let octets): send(octets)
            case .close: drop()
            case .report(let update): report(update)
            }
        }
    }

    private func fail(_ failure: GPSDFailure) { perform(session.failed(failure, at: SystemClock.now)) }

    private func drop() {
        switch socket {
        case .connecting(let descriptor, _), .open(let descriptor): close(descriptor)
        case .none, .resolving: break
        }
        socket = .none
    }
}

/// Connecting.
extension GPSDLink {
    private func resolve() {
        socket = .resolving
        // The lookup of an earlier attempt is reused, so that a silent name server does not pile up threads.
        guard lookup == nil else { return }
        do throws(SystemError) {
            lookup = try HostLookup(host: place.host, port: place.port)
        } catch {
            fail(.machineAtItsLimit(reason: "\(error)"))
        }
    }

    private func resolved() {
        guard let outcome = lookup?.outcome() else { return }
        lookup = nil
        switch outcome {
        case .failed(let reason, _): fail(.hostNotFound(reason: reason))
        case .found(let addresses):
            attempts &+= 1
            let first = addresses.isEmpty ? 0 : Int(UInt(bitPattern: attempts &- 1) % UInt(addresses.count))
            connect((addresses[first...] + addresses[..<first])[...])
        }
    }

    private func connect(_ addresses: ArraySlice<HostLookup.Address>, after reason: String = "the host has no address")
    {
        socket = .none
        guard let address = addresses.first else { return fail(.unreachable(reason: reason)) }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(address.family, type, 0)
        guard descriptor >= 0 else {
            // Where the machine lacks this address family, the next address may work. At a limit of the process, none
            // will.
            let error = SystemError.last("socket")
            return error.code == EAFNOSUPPORT
                ? connect(addresses.dropFirst(), after: error.reason) : fail(.machineAtItsLimit(reason: "\(error)"))
        }
        let code = address.octets.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                Glibc.connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
            }
        }
        socket = .connecting(descriptor, addresses)
        if code != 0, errno != EINPROGRESS { tryNext(after: SystemError.last("connect")) }
    }

    private func finishConnecting(_ descriptor: Int32, _ addresses: ArraySlice<HostLookup.Address>) {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
            return tryNext(after: SystemError.last("getsockopt"))
        }
        guard code == 0 else { return tryNext(after: SystemError("connect", code: code)) }
        socket = .open(descriptor)
        perform(session.connected(at: SystemClock.now))
    }

    private func tryNext(after error: SystemError) {
        guard case .connecting(_, let addresses) = socket else { return }
        drop()
        connect(addresses.dropFirst(), after: error.reason)
    }
}

/// Speaking.
extension GPSDLink {
    /// A request is smaller than any socket's buffer: where the buffer is full, gpsd has not read for a long time.
    private func send(_ octets: [UInt8]) {
        guard case .open(let descriptor) = socket else { return }
        let count = Glibc.send(descriptor, octets, octets.count, Int32(MSG_NOSIGNAL))
        if count != octets.count { fail(.closed(reason: count < 0 ? SystemError.last("send").reason : "")) }
    }

    private func read(_ descriptor: Int32) {
        for _ in 0..<Self.chunksPerRound {
            // The octets just read may have ended the connection.
            guard case .open(descriptor) = socket else { return }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count > 0 else {
                return fail(.closed(reason: count < 0 ? SystemError.last("recv").reason : ""))
            }
            perform(session.received(buffer[..<min(count, buffer.count)], at: SystemClock.now))
            if count < buffer.count { return }
        }
    }
}
