/// Names one region instance: the registered region, and what tells this instance from the others of that region.
package struct RegionInstanceID: Hashable, Sendable {
    /// What tells the instances of one region apart.
    package enum Discriminator: Hashable, Sendable {
        /// The region is not expanded: this is its only instance.
        case whole
        /// The beacons of one major.
        case major(UInt16)
        /// The beacons of one major and minor.
        case minor(major: UInt16, minor: UInt16)
    }

    /// The configured id.
    package var region: String
    var discriminator: Discriminator
    /// The zone of a store that it is about; `nil` for the whole of what is heard.
    package var zone: String?

    package init(region: String, _ discriminator: Discriminator = .whole, zone: String? = nil) {
        self.region = region
        self.discriminator = discriminator
        self.zone = zone
    }

    /// The same instance in one zone of the store, or in all of it.
    func inZone(_ zone: String?) -> RegionInstanceID {
        RegionInstanceID(region: region, discriminator, zone: zone)
    }

    /// `nil` unless the region is expanded by major or minor.
    package var major: UInt16? { discriminator.numbers.major }

    /// `nil` unless the region is expanded by minor.
    var minor: UInt16? { discriminator.numbers.minor }
}

extension RegionInstanceID.Discriminator {
    /// By the numbers as messages, topics and keys have them; `nil` for a minor without a major, which names nothing.
    init?(major: UInt16?, minor: UInt16?) {
        switch (major, minor) {
        case (nil, nil): self = .whole
        case (let major?, nil): self = .major(major)
        case (let major?, let minor?): self = .minor(major: major, minor: minor)
        case (nil, _?): return nil
        }
    }

    fileprivate var numbers: (major: UInt16?, minor: UInt16?) {
        switch self {
        case .whole: (nil, nil)
        case .major(let major): (major, nil)
        case .minor(let major, let minor): (major, minor)
        }
    }
}
