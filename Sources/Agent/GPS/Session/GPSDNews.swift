import Core

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
