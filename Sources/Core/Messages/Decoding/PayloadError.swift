/// Why a payload is none that the contract knows: which field, and what is wrong with it.
package struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        /// It is no JSON object.
        case malformed(String)
        case missing
        /// It is of another type.
        case mustBe(String, not: String)
        /// It is of the right type and not one of the values that are allowed.
        case mustBeOneOf(String)
        /// It is longer than is read.
        case tooLong(limit: Int)
    }

    /// The name of the field, with those of the objects that it is in: `beacons[3].rssi_dbm`. Empty for the payload as a whole.
    var field: String
    var problem: Problem

    package init(_ field: String, _ problem: Problem) {
        self.field = field
        self.problem = problem
    }

    /// The same error, as of something that stands in `field`.
    func inside(_ field: String) -> PayloadError { PayloadError("\(field).\(self.field)", problem) }

    /// One line.
    package var description: String {
        let name = field.isEmpty ? "payload" : field
        return switch problem {
        case .malformed(let what): "\(name): \(what)"
        case .missing: "\(name): is missing"
        case .mustBe(let wanted, not: let found): "\(name): must be \(wanted), not \(found)"
        case .mustBeOneOf(let wanted): "\(name): must be \(wanted)"
        case .tooLong(let limit): "\(name): has more than \(limit)"
        }
    }
}
