public import Beacons

/// `[advertise]`: this machine as an iBeacon.
public struct AdvertiseSettings: Hashable, Sendable {
    public var frame: IBeaconFrame
    /// Milliseconds from one advertisement to the next.
    public var interval_ms: Double
}

/// `[capture]`: the recent HCI events that are kept in memory and written where they are asked for.
public struct CaptureSettings: Hashable, Sendable {
    public var max_MiB: Int
    /// The folder for capture files.
    public var directory: String
    /// Capture files that are kept; the oldest give way.
    public var maxFiles: Int
}
