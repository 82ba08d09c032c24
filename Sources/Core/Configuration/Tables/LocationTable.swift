/// `[location]`: the gateway's place, and its updates.
struct LocationTable: SettingsTable {
    static let tableName = "location"

    /// The raw value is the word in `config.toml`.
    enum Source: String, CaseIterable {
        case none
        case fixed
        case gpsd
    }

    let source = Key(
        "source", default: Source.none, .word,
        "The source of the place: none, the next three keys, or the receivers of a gpsd.")
    let latitude = Key("latitude", default: 0, .number(-90...90), "For `fixed`: WGS 84, north positive. Degrees.")
    let longitude = Key("longitude", default: 0, .number(-180...180), "For `fixed`: WGS 84, east positive. Degrees.")
    let horizontalAccuracy = Key(
        "horizontal_accuracy_m", default: 10, .number(0.1...100_000),
        "For `fixed`: the radius that holds the truth two times out of three. Metres.")
    let gpsd = Key(
        "gpsd", default: HostPort(host: "127.0.0.1", port: 2947), .hostPort(defaultPort: 2947), "Where gpsd listens.")
    let service = Key(
        "service", default: LocationSettings.Service.standard, .word,
        "`standard`: an update for each change; `significant`: for 500 m and more, and the receiver rests in between.")
    let desiredAccuracy = Key(
        "desired_accuracy_m", default: 100, .number(1...100_000), "Worse fixes are not used. Metres.")
    let distanceFilter = Key(
        "distance_filter_m", default: 10, .number(0...100_000),
        "`standard`: a move of this length is an update. Metres.")
    let minInterval = Key(
        "min_interval_s", default: .seconds(1), .seconds(0...86400), "Seconds between two updates at least.")
    let maxInterval = Key(
        "max_interval_s", default: .seconds(300), .seconds(1...86400),
        "Seconds after which an update comes without a move; not below `min_interval_s`.")
    let headingFilter = Key(
        "heading_filter_deg", default: 5, .number(0...180), "A turn by this angle while moving is an update. Degrees.")
    let pausesAutomatically = Key(
        "pauses_automatically", default: true, .flag,
        "Whether `standard` pauses at rest: it looks every minute and publishes no place until it moves.")
    let activity = Key(
        "activity", default: Activity.other, .word,
        "The kind of movement: a pause begins after 5 minutes at rest, `automotive` 2, `pedestrian` 10.")
    let deferDistance = Key(
        "defer_distance_m", default: 0, .number(0...1_000_000),
        "Metres of travel after which the fixes since the last batch are published together; 0: no limit.")
    let deferTimeout = Key(
        "defer_timeout_s", default: .zero, .seconds(0...86400),
        "Seconds after which the fixes since the last batch are published together; 0: no limit.")
    let maxAge = Key(
        "max_age_s", default: .seconds(15), .seconds(1...3600), "Fixes that are older on arrival are not used. Seconds."
    )

    func read(_ reader: inout TableReader) -> LocationSettings {
        let (min, max) = (reader.value(minInterval), reader.value(maxInterval))
        if max < min {
            reader.refuse(
                maxInterval, max, beside: minInterval.name, "must not be below min_interval_s (\(min.seconds.plain))")
        }
        let standard = StandardService.Settings(
            distanceFilter_m: reader.value(distanceFilter), headingFilter_deg: reader.value(headingFilter),
            minInterval: min, maxInterval: max, maxAge: reader.value(maxAge))
        let activity = reader.value(activity)
        let deferral = LocationSettings.Deferral(
            distance_m: reader.value(deferDistance), timeout: reader.value(deferTimeout))
        return LocationSettings(
            source: place(&reader), service: reader.value(service), desiredAccuracy_m: reader.value(desiredAccuracy),
            standard: standard, pausing: reader.value(pausesAutomatically) ? activity : nil,
            deferral: deferral.distance_m > 0 || deferral.timeout > .zero ? deferral : nil)
    }

    /// Returns the source. Every key is checked, whichever the source is. A fixed place has to be set: the default lies
    /// in the sea.
    private func place(_ reader: inout TableReader) -> LocationSettings.Source {
        let source = reader.value(source)
        let (north, east) = (reader.value(latitude), reader.value(longitude))
        let (accuracy_m, address) = (reader.value(horizontalAccuracy), reader.value(gpsd))
        switch source {
        case .none: return .none
        case .gpsd: return .gpsd(host: address.host, port: address.port)
        case .fixed:
            for (key, value) in [(latitude, north), (longitude, east)] where !reader.sets(key) {
                reader.refuse(key, value, beside: self.source.name, "is missing: source = \"fixed\" needs both degrees")
            }
            return Coordinate(latitude: north, longitude: east).map { .fixed($0, horizontalAccuracy_m: accuracy_m) }
                ?? .none
        }
    }
}

extension LocationSettings {
    /// The settings of an empty table.
    package static let defaults: LocationSettings = {
        let table = Tables.known.location
        var reader = TableReader(path: table.reference.name, table: table.reference, entries: [:])
        return table.keys.read(&reader)
    }()
}

extension Rule where Value == HostPort {
    fileprivate static func hostPort(defaultPort: UInt16) -> Rule {
        text(
            "a host or host:port (an IPv6 address in brackets)",
            read: { text in
                do throws(HostPort.Problem) {
                    return .value(try HostPort(text, defaultPort: defaultPort))
                } catch {
                    return .refused(error == .badPort ? "must have a port from 1 to 65535" : nil)
                }
            },
            write: { $0.description.quoted })
    }
}
