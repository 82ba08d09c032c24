/// A UUID in nine places, so that a row fits 80 columns.
///
/// Which digits tell UUIDs apart depends on who made them: random ones differ from the first digit on, those of a family
/// only at the end. So the form is chosen that keeps all the UUIDs of a table apart.
enum ShortUUID: CaseIterable {
    /// `39ED98FF…`
    case beginning
    /// `39ED…99D2`
    case ends
    /// `…9C3999D2`
    case ending

    static let width = 9

    /// The first form that keeps as many of them apart as any does.
    package static func form(for uuids: Set<ProximityUUID>) -> ShortUUID {
        var best = (form: ShortUUID.beginning, count: 0)
        for form in allCases {
            let count = Set(uuids.map(form.text)).count
            if count > best.count { best = (form, count) }
        }
        return best.form
    }

    func text(_ uuid: ProximityUUID) -> String {
        let digits = uuid.description.filter { $0 != "-" }
        return switch self {
        case .beginning: digits.prefix(8) + "…"
        case .ends: digits.prefix(4) + "…" + digits.suffix(4)
        case .ending: "…" + digits.suffix(8)
        }
    }
}
