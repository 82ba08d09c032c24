/// The counts of an engine since it was made, and their form in `health`.
package struct GatewayFigures: Sendable {
    /// Advertising reports decoded, iBeacon or not; 0 in a store, which has no radio.
    package var reports: UInt64 = 0
    /// iBeacon frames among them.
    package var beacons: UInt64 = 0
    /// Bytes that were skipped, by reason.
    package var rejects = RejectCounts()
    /// Physical beacons counted so far.
    package var tracks: UInt64 = 0
    /// Physical beacons listed now.
    var listedTracks = 0
    /// Region instances held.
    package var instances = 0
    /// Newcomers refused because `max_transmitters` were listed already.
    package var refusedTransmitters: UInt64 = 0
    /// Entries refused, by limit.
    package var refusedEntries = RefusedEntries()
    /// Floods of the last minute or of this one; empty where there are none.
    var suspectedSpoofing: [SuspectedSpoofing] = []
    /// Adapters with wrong signal strengths in the last whole minute; empty where there are none.
    var suspectReadings: [SuspectReadings] = []
    /// The first beacons of regions that stated an implausible measured power, at most `ImplausiblePower.most`.
    var implausiblePowers: [ImplausiblePower] = []
    /// `nil` without `[beacons]`.
    var beaconLists: BeaconListFigures?
    /// `nil` without `[location]`.
    package var location: LocationFigures?
    /// The figures of a store's gateways; `nil` in a gateway.
    package var store: StoreFigures?
    /// Messages of gateways beyond a store's limit of gateways.
    package var refusedGateways: UInt64 = 0

    package init() {}
}

extension GatewayFigures {
    /// The figures at the beginning of a message, in its order.
    static let first: [HealthFigure<GatewayFigures>] = [
        .counts(
            "rejected", \.rejected, label: "reason",
            .counter("beacond_rejected_total", "Reports and data from the air that were skipped, by reason.")),
        suspectedSpoofingFigure,
        suspectReadingsFigure,
        implausiblePowerFigure,
        .integer("tracks", \.listedTracks, .gauge("beacond_tracks", "Physical beacons in the air now.")),
        .integer("instances", \.instances, .gauge("beacond_region_instances", "Region instances held.")),
    ]

    /// The figures that only some engines have.
    static let optional: [HealthFigure<GatewayFigures>] = [
        .group("beacons", \.beaconLists, BeaconListFigures.figures),
        .group("location", \.location, LocationFigures.figures),
        .group(nil, \.store, StoreFigures.figures),
    ]

    private static let suspectedSpoofingFigure = HealthFigure<GatewayFigures>(
        "suspected_spoofing",
        .gauge("beacond_suspected_spoofing_per_second", "Floods that no shop makes, by kind; 0 for none.")
    ) { figures, json in
        json.set("suspected_spoofing", objectsFor: figures.suspectedSpoofing) { flood, json in
            json.set("kind", flood.kind)
            json.set("rate_per_s", flood.rate_per_s, decimals: 1)
        }
    } samples: { figures in
        SuspectedSpoofing.Kind.allCases.map { kind in
            .init(figures.suspectedSpoofing.first { $0.kind == kind }?.rate_per_s ?? 0, label: ("kind", kind.rawValue))
        }
    }

    private static let suspectReadingsFigure = HealthFigure<GatewayFigures>(
        "suspect_readings",
        .gauge("beacond_suspect_readings", "Adapters with wrong signal strengths, by kind of defect.")
    ) { figures, json in
        if figures.suspectReadings.isEmpty { return }
        json.set("suspect_readings", objectsFor: figures.suspectReadings) { suspect, json in
            json.set("adapter", suspect.adapter)
            json.set("kind", suspect.kind)
        }
    } samples: { figures in
        SuspectReadings.Kind.allCases.map { kind in
            .init(figures.suspectReadings.count { $0.kind == kind }, label: ("kind", kind.rawValue))
        }
    }

    private static let implausiblePowerFigure = HealthFigure<GatewayFigures>(
        "implausible_power",
        .gauge("beacond_implausible_power_beacons", "Beacons whose measured power cannot be, at most 32.")
    ) { figures, json in
        if figures.implausiblePowers.isEmpty { return }
        json.set("implausible_power", objectsFor: figures.implausiblePowers) { beacon, json in
            json.set(beacon.identity)
            json.set("measured_power_dbm", beacon.measuredPower_dbm)
        }
    } samples: { figures in
        [.init(figures.implausiblePowers.count)]
    }

    private var rejected: [NamedCount] { RejectReason.allCases.map { NamedCount($0.rawValue, rejects[$0]) } }
}

extension BeaconListFigures {
    fileprivate static let figures: [HealthFigure<BeaconListFigures>] = [
        .integer("listed", \.listed, .gauge("beacond_beacons_listed", "Beacons on the list.")),
        .integer(
            "displaced", \.displaced,
            .counter("beacond_beacons_displaced_total", "Beacons that left the list because it was full.")),
        .integer(
            "frames", \.frames, .counter("beacond_telemetry_frames_total", "Telemetry frames heard, of any device.")),
        .integer(
            "encrypted", \.encrypted,
            .counter("beacond_telemetry_encrypted_total", "Telemetry frames that were encrypted.")),
        .integer(
            "contradictory", \.contradictory,
            .counter("beacond_telemetry_contradictory_total", "Telemetry frames with a value that cannot be true.")),
    ]
}

extension LocationFigures {
    fileprivate static let figures: [HealthFigure<LocationFigures>] = [
        .integer("used", \.fixes.used, .counter("beacond_location_fixes_used_total", "Fixes that were used.")),
        .counts(
            "rejected", \.rejected, label: "reason",
            .counter("beacond_location_fixes_rejected_total", "Fixes that were not used, by reason.")),
        .number(
            "receiver_on_s", \.receiverOn_s, decimals: 1,
            .counter("beacond_location_receiver_on_seconds_total", "The time for which the receiver was on.")),
    ]

    private var receiverOn_s: Double { receiverOn.seconds }

    private var rejected: [NamedCount] {
        FixRejection.allCases.map { NamedCount($0.rawValue, UInt64(clamping: fixes[$0])) }
    }
}

/// A suspected flood: an entry of `suspected_spoofing` in `health`.
///
/// iBeacon proves nothing about its sender, so this is a suspicion. The agent filters nothing because of it.
struct SuspectedSpoofing: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// Identities never heard before.
        case identities
        /// Addresses of one identity.
        case addresses
        /// Levels that no beacon reaches, not even beside a gateway.
        case rssi
        /// Beacons that change their addresses at the same time.
        case rotations
    }

    var kind: Kind
    /// The rate per second, averaged over a minute.
    var rate_per_s: Double
}

/// An adapter with wrong signal strengths: an entry of `suspect_readings` in `health`.
///
/// The suspicion comes from the adapter's own readings, so it names only defects that no room makes. The agent filters
/// nothing because of it.
struct SuspectReadings: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// One value for any transmitter.
        case stuck
        /// A report has the strength of the one before it, which came from another transmitter.
        case repeated
        /// Some readings are 15 dB below the others of one transmitter, as with one weak channel.
        case twoLevels = "two_levels"
    }

    /// The name in the configuration.
    var adapter: String
    var kind: Kind
}
