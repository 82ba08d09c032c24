/// Why the engine refuses a request.
extension RequestError {
    static func unknownRegion(_ id: String) -> RequestError {
        RequestError(.unknownRegion, "no region \(quoted(id)) is monitored; ask for state without a region to see all")
    }

    static func configuredRegion(_ id: String) -> RequestError {
        RequestError(
            .configuredRegion, "region \(quoted(id)) stands in config.toml; change it there and reload beacond")
    }

    static func regionExists(_ id: String) -> RequestError {
        RequestError(
            .regionExists, "region \(quoted(id)) is monitored already, with another definition; stop it first")
    }

    /// It has no beacons that could be ranged.
    static func notOfBeacons(_ id: String) -> RequestError {
        RequestError(.invalidRequest, "region \(quoted(id)) is a circle: there are no beacons of it to range")
    }

    static func wrongInstance(_ region: BeaconRegion) -> RequestError {
        let wanted =
            switch region.expansion {
            case .none: "neither major nor minor"
            case .major: "a major and no minor"
            case .minor: "a major and a minor"
            }
        return RequestError(
            .invalidRequest, "region \(quoted(region.id)): give \(wanted), which names one instance of it")
    }
}
