import Core

/// The reason why there is no connection to gpsd.
package enum GPSDFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The host has no address; the resolver's text.
    case hostNotFound(reason: String)
    /// The host accepts no connection; the system's text.
    case unreachable(reason: String)
    /// The system gave no socket or thread; its text.
    case machineAtItsLimit(reason: String)
    /// The connection was made, but no greeting came.
    case silent
    /// Another program than gpsd answers.
    case notGPSD
    /// gpsd speaks another version of its protocol.
    case otherProtocol(GPSDVersion)
    case stoppedAnswering
    /// gpsd ended the connection, or it broke; the system's text where there is one.
    case closed(reason: String)

    /// The failure and its reason, without the place.
    package var description: String {
        switch self {
        case .hostNotFound(let reason): return "the host of gpsd is not found: \(reason)"
        case .unreachable(let reason): return "gpsd can't be reached: \(reason)"
        case .machineAtItsLimit(let reason): return "no connection to gpsd can be made: \(reason)"
        case .silent: return "gpsd does not say who it is"
        case .notGPSD: return "another program than gpsd answers"
        case .otherProtocol(let version):
            let protocolVersion = "\(version.protocolMajor).\(version.protocolMinor)"
            return "gpsd \(version.release) speaks protocol \(protocolVersion), and \(GPSDVersion.major) is understood"
        case .stoppedAnswering: return "gpsd does not answer any more"
        case .closed(let reason):
            return reason.isEmpty ? "gpsd ended the connection" : "the connection to gpsd broke: \(reason)"
        }
    }

    /// A remedy for the operator, one sentence.
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

/// An event of a session with gpsd.
package enum GPSDUpdate: Hashable, Sendable {
    /// Connected to a gpsd of this version.
    case connected(GPSDVersion)
    /// The paths of the receivers that gpsd has; reported after each connection, and when they change.
    case devices([String])
    /// A receiver's report, and its time of arrival.
    case report(DeviceReport, at: Instant)
    /// A line that gpsd cannot have written.
    case malformed
    /// gpsd complains of a request.
    case complaint(String)
    /// The connection ended, or could not be made. The session tries again.
    case lost(GPSDFailure)
}

/// An action that a session asks for; actions are carried out in order.
enum GPSDAction: Hashable, Sendable {
    case connect
    /// Sends these octets to gpsd.
    case send([UInt8])
    /// Ends the connection, or the attempt.
    case close
    case report(GPSDUpdate)
}
