/// What one of several receivers said.
public struct DeviceReport: Hashable, Sendable {
    /// The receiver's path: `/dev/ttyACM0`. Empty where there is but one, which nobody has named.
    public var device: String
    public var report: FixReport

    public init(device: String, report: FixReport) {
        self.device = device
        self.report = report
    }
}
