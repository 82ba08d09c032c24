import Agent
import Core

/// What stands between the configured adapters and scanning, as it is said to an installer.
///
/// The survey knows more than the radio loop: the adapters' names, and why there is none. It is made again only when the
/// availability changes.
struct RadioStatus {
    private let settings: RadioSettings
    private(set) var availability: RadioAvailability?
    /// `hci0 (00:1A:7D:DA:71:13)`, or what was asked for where it is not there.
    private(set) var adapters: String
    private(set) var remedy = ""

    init(_ settings: RadioSettings) {
        self.settings = settings
        adapters = Self.names(AdapterSurvey.current().reports(on: settings, mayAdminister: false))
    }

    mutating func note(_ availability: RadioAvailability?) {
        guard let availability, availability != self.availability else { return }
        self.availability = availability
        let reports = AdapterSurvey.current().reports(on: settings, mayAdminister: false)
        adapters = Self.names(reports)
        remedy = reports.first { $0.obstacle == availability }?.remedy ?? availability.remedy
    }

    private static func names(_ reports: [AdapterReport]) -> String {
        reports.map(\.name).joined(separator: ", ")
    }
}
