import Core

/// Why there is no connection to gpsd.
package enum GPSDFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The host has no address; the resolver's text.
    case hostNotFound(reason: String)
    /// Nobody takes the connection; the system's text.
    case unreachable(reason: String)
    /// The system gave no socket or thread; its text.
    case machineAtItsLimit(reason: String)
    /// The connection was made, and nobody took it or said a word.
    case silent
    /// Something answers there that is not gpsd.
    case notGPSD
    /// gpsd speaks another version of its protocol.
    case otherProtocol(GPSDVersion)
    /// gpsd doesn't answer any more.
    case stoppedAnswering
    /// gpsd ended the connection, or it broke; the system's text where there is one.
    case closed(reason: String)

    /// What failed and why, without where.
    package var description: String {
        switch self {
        case .hostNotFound(let reason): return "the host of gpsd is not found: \(reason)"
        case .unreachable(let reason): return "gpsd can't be reached: \(reason)"
        case .machineAtItsLimit(let reason): return "no connection to gpsd can be made: \(reason)"
        case .silent: return "gpsd does not say who it is"
        case .notGPSD: return "what answers is not gpsd"
        case .otherProtocol(let version):
            let protocolVersion = "\(version.protocolMajor).\(version.protocolMinor)"
            return "gpsd \(version.release) speaks protocol \(protocolVersion), and \(GPSDVersion.major) is understood"
        case .stoppedAnswering: return "gpsd does not answer any more"
        case .closed(let reason):
            return reason.isEmpty ? "gpsd ended the connection" : "the connection to gpsd broke: \(reason)"
        }
    }

    /// What an operator can do, one sentence.
    package var remedy: String {
        switch self {
        case .hostNotFound: "correct the host in location.gpsd"
        case .unreachable:
            "install gpsd (apt install gpsd) and start it (systemctl enable --now gpsd.socket); if it listens elsewhere, put "
                + "its host and port into location.gpsd"
        case .machineAtItsLimit:
            "allow the process more open files, threads and memory: LimitNOFILE=, TasksMax= and MemoryMax= of the service"
        case .silent, .stoppedAnswering:
            "restart gpsd (systemctl restart gpsd), and look into its log (journalctl -u gpsd)"
        case .notGPSD: "correct the port in location.gpsd: gpsd's own is 2947"
        case .otherProtocol(let version) where version.protocolMajor < GPSDVersion.major: "install gpsd 3.0 or later"
        case .otherProtocol:
            "install a beacond that understands this gpsd, or a gpsd whose protocol is \(GPSDVersion.major)"
        case .closed: "it is connected again by itself; if this repeats, look into gpsd's log (journalctl -u gpsd)"
        }
    }
}

/// What a session with gpsd has to tell.
package enum GPSDNews: Hashable, Sendable {
    /// Connected, to this gpsd.
    case connected(GPSDVersion)
    /// The paths of the receivers that gpsd has; told after each connection, and when they change.
    case devices([String])
    /// What a receiver said, and when it came.
    case report(DeviceReport, at: Instant)
    /// A line that is none of gpsd's.
    case malformed
    /// gpsd complains of a request.
    case complaint(String)
    /// There is no connection any more, or it could not be made. It is tried again.
    case lost(GPSDFailure)
}

/// What is to be done for a session, in this order.
enum GPSDAction: Hashable, Sendable {
    case connect
    /// To gpsd, as it is.
    case send([UInt8])
    /// Ends the connection, or the attempt.
    case close
    case tell(GPSDNews)
}
