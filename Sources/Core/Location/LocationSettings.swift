/// The keys of `[location]` that the services use.
package struct LocationSettings: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        /// No source: the table exists, but location is turned off.
        case none
        case fixed(Coordinate, horizontalAccuracy_m: Double)
        case gpsd(host: String, port: UInt16)
    }

    /// The service that chooses updates. The raw value is the word in `config.toml` and in `location`.
    package enum Service: String, CaseIterable, Sendable {
        case standard
        case significant
    }

    /// The limits of a batch of deferred fixes.
    package struct Deferral: Hashable, Sendable {
        /// The distance travelled before a batch is published; 0 sets no limit. Metres.
        var distance_m: Double
        /// The longest wait of a batch's first fix; `zero` sets no limit.
        var timeout: TimeSpan
    }

    package var source: Source
    package var service: Service = .standard
    /// The largest radius of a used fix. Metres.
    package var desiredAccuracy_m: Double = 100
    var standard: StandardService.Settings
    /// The activity for automatic pauses; `nil` for none.
    package var pausing: Activity? = .other
    /// The deferral; `nil` where each update is published at once.
    package var deferral: Deferral?

    var maxAge: TimeSpan { standard.maxAge }
}
