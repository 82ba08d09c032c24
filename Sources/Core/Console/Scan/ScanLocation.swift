/// What `beacond scan --location` knows of the place.
package struct ScanLocation: Hashable, Sendable {
    var availability: LocationAvailability
    /// The last fix that was used; `nil` before the first.
    var fix: PlacedFix?
    /// How old that is.
    var age: TimeSpan
    /// How often and why a fix was not used.
    var counts: FixCounts
    /// What to do where there is no gpsd; empty where there is one.
    var remedy: String

    package init(
        availability: LocationAvailability, fix: PlacedFix?, age: TimeSpan, counts: FixCounts, remedy: String
    ) {
        self.availability = availability
        self.fix = fix
        self.age = age
        self.counts = counts
        self.remedy = remedy
    }

    /// One line: `location: located  52.5163000, 13.3777000 ± 3.1 m  12.4 m/s  course 80°  0.4 s ago  /dev/ttyACM0`.
    package var line: String {
        var parts = ["location: \(availability.rawValue)"]
        if let placed = fix {
            let fix = placed.fix
            let accuracy = Figures.fixed(fix.horizontalAccuracy_m, decimals: 1)
            let (latitude, longitude) = (fix.coordinate.latitude, fix.coordinate.longitude)
            parts.append(
                "\(Figures.fixed(latitude, decimals: 6)), \(Figures.fixed(longitude, decimals: 6)) ± \(accuracy) m")
            if let altitude_m = fix.altitude_m { parts.append("altitude \(Figures.fixed(altitude_m, decimals: 0)) m") }
            if let speed_m_s = fix.speed_m_s { parts.append("\(Figures.fixed(speed_m_s, decimals: 1)) m/s") }
            if let course_deg = fix.course_deg { parts.append("course \(Figures.fixed(course_deg, decimals: 0))°") }
            if let heading_deg = fix.heading_deg { parts.append("heading \(Figures.fixed(heading_deg, decimals: 0))°") }
            parts.append("\(Figures.fixed(age.seconds, decimals: 1)) s ago")
            if let device = placed.device { parts.append(device) }
        }
        if counts.allRejected > 0 { parts.append("\(counts.used) used, \(counts.allRejected) rejected") }
        if !remedy.isEmpty { parts.append(remedy) }
        return parts.joined(separator: "  ")
    }

    /// The same in JSON.
    func write(to json: inout JSONWriter) {
        json.set("availability", availability.rawValue)
        if let placed = fix {
            json.set("fix") { json in placed.fix.write(to: &json) }
            json.set("age_s", age.seconds, decimals: 1)
            if let device = placed.device { json.set("device", device) }
        }
        json.set("used", counts.used)
        json.set("rejected") { json in
            for reason in FixRejection.allCases { json.set(reason.rawValue, count: UInt64(clamping: counts[reason])) }
        }
        json.set("remedy", remedy)
    }
}
