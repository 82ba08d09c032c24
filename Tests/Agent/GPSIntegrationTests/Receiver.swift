import Foundation
import Loopback
import Synchronization

/// A receiver on a serial line: a pseudo terminal, into which the sentences of a ride are written over and over, until
/// it is unplugged.
final class Receiver: Sendable {
    /// NMEA sentences: two seconds without a fix, then ten with one, heading and course.
    static let log: String = {
        let rules = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return rules.appending(path: "Rules/GPSTests/Recorded/ride.nmea").path
    }()

    /// The path that gpsd opens.
    let path: String
    private let line: Int32
    private let slave: Int32
    private let isPlugged = Mutex(true)
    private let done = DispatchSemaphore(value: 0)

    init() throws {
        var (near, far): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&near, &far, nil, nil, nil) == 0, ttyname_r(far, &name, name.count) == 0 else {
            throw TestFailure(description: "no pseudo terminal: errno \(errno)")
        }
        var mode = termios()
        tcgetattr(far, &mode)
        cfmakeraw(&mode)
        tcsetattr(far, TCSANOW, &mode)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // gpsd that was started as root becomes another user.
        chmod(path, 0o666)
        _ = fcntl(near, F_SETFL, fcntl(near, F_GETFL) | O_NONBLOCK)
        (line, slave) = (near, far)
        let sentences = try String(contentsOfFile: Self.log, encoding: .utf8).split(separator: "\r\n")
        Thread.detachNewThread { [self] in
            var next = 0
            while isPlugged.withLock(\.self) {
                let octets = Array("\(sentences[next])\r\n".utf8)
                // Octets without room are lost, as on a serial line without a reader.
                _ = write(line, octets, octets.count)
                next = (next + 1) % sentences.count
                usleep(20_000)
            }
            done.signal()
        }
    }

    /// Ends the line; to be called once.
    func unplug() {
        let wasPlugged = isPlugged.withLock { isPlugged in
            defer { isPlugged = false }
            return isPlugged
        }
        guard wasPlugged else { return }
        done.wait()
        close(slave)
        close(line)
    }
}
