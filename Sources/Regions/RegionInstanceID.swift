/// Names one region instance: the registered region, and the major and minor that tell an expanded one apart.
public struct RegionInstanceID: Hashable, Sendable {
    /// The configured id.
    public var region: String
    /// `nil` unless the region is expanded by major or minor.
    public var major: UInt16?
    /// `nil` unless the region is expanded by minor.
    public var minor: UInt16?

    public init(region: String, major: UInt16? = nil, minor: UInt16? = nil) {
        self.region = region
        self.major = major
        self.minor = minor
    }
}
