/// What `[location]` says, as far as the services go by it.
package struct LocationSettings: Hashable, Sendable {
    /// Where fixes come from.
    package enum Source: Hashable, Sendable {
        /// Nowhere: the table is there, and turned off.
        case none
        /// The gateway stands here.
        case fixed(Coordinate, horizontalAccuracy_m: Double)
        /// From the receivers of a gpsd.
        case gpsd(host: String, port: UInt16)
    }

    /// Which updates are told. The raw value is the word in `config.toml` and in `location`.
    package enum Service: String, CaseIterable, Sendable {
        case standard
        case significant
    }

    /// When fixes are told together.
    package struct Deferral: Hashable, Sendable {
        /// How far it travels before a batch is told; 0 sets no limit. Metres.
        var distance_m: Double
        /// How long the first fix of a batch waits at most; `zero` sets no limit.
        var timeout: TimeSpan
    }

    package var source: Source
    package var service: Service
    /// Fixes with a larger radius are not used. Metres.
    package var desiredAccuracy_m: Double
    /// What the standard service tells.
    var standard: StandardService.Settings
    /// What it rides on; `nil` where it never pauses.
    package var pausing: Activity?
    /// `nil` where each update is told as it comes.
    package var deferral: Deferral?

    package init(
        source: Source, service: Service = .standard, desiredAccuracy_m: Double = 100,
        standard: StandardService.Settings, pausing: Activity? = .other, deferral: Deferral? = nil
    ) {
        self.source = source
        self.service = service
        self.desiredAccuracy_m = desiredAccuracy_m
        self.standard = standard
        self.pausing = pausing
        self.deferral = deferral
    }

    /// Fixes that are older when they come are not used.
    var maxAge: TimeSpan { standard.maxAge }
}
