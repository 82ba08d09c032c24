/// The changes that all of the latest quarters share.
///
/// People weaken a link for some hours, and a gateway that was moved stays at its new place by day and by night. So the
/// smallest change of three quarters counts, where all three have its sign. It varies less than that of one quarter, so
/// that smaller moves show.
struct LastingChanges: Sendable {
    /// The quarters that are compared, and the fewest with levels of passing beacons: by night few beacons pass.
    private static let quarters = 3, fewestOfPassing = 2
    /// The standard deviation of the smallest change, as a share of that of one quarter.
    private static let deviationShare: Float = 0.7
    private static let leastScore = 0.65

    private var latest: [(links: [LinkChanges.Heard], passing: [LinkChanges.Heard])] = []

    init() {}

    /// Takes the changes of a quarter.
    mutating func take(_ links: [LinkChanges.Heard], passing: [LinkChanges.Heard]) {
        latest = latest.suffix(Self.quarters - 1) + [(links, passing)]
    }

    mutating func remove(_ gateway: Int) {
        for index in latest.indices {
            latest[index].links.removeAll { $0.link.touches(gateway) }
            latest[index].passing.removeAll { $0.link.touches(gateway) }
        }
    }

    /// The gateway that has changed most; `nil` where none has.
    var verdict: LinkChanges.Verdict? {
        guard latest.count == Self.quarters else { return nil }
        let changes = LinkChanges(
            Self.lasting(latest.map(\.links), fewest: Self.quarters),
            passing: Self.lasting(latest.map(\.passing), fewest: Self.fewestOfPassing), bounds: .lasting)
        return changes.agreed.flatMap { $0.score >= Self.leastScore ? $0 : nil }
    }

    /// Returns the smallest change of each link.
    private static func lasting(_ quarters: [[LinkChanges.Heard]], fewest: Int) -> [LinkChanges.Heard] {
        let links = Dictionary(grouping: quarters.joined(), by: \.link).filter { $0.value.count >= fewest }
        return links.sorted { $0.key < $1.key }.map { link, heard in
            let changes_db = heard.map(\.change_db)
            let (least_db, most_db) = (changes_db.min() ?? 0, changes_db.max() ?? 0)
            let deviation_db = heard.reduce(0) { $0 + $1.deviation_db } / Float(heard.count)
            return LinkChanges.Heard(
                link: link, change_db: least_db > 0 ? least_db : min(most_db, 0),
                deviation_db: deviation_db * deviationShare)
        }
    }
}
