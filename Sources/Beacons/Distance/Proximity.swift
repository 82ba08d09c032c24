/// Core Location's zones. The raw value is the word that is published.
public enum Proximity: String, CaseIterable, Sendable {
    case unknown
    case immediate
    case near
    case far
}
