/// Errors as they are found, up to the limit of what is reported; the rest is only counted.
struct ErrorList: Hashable, Sendable {
    private(set) var errors: [ConfigurationError] = []
    private(set) var omitted = 0

    var isEmpty: Bool { errors.isEmpty }

    /// An error beyond the limit is not even made, because that costs more than to find it.
    mutating func note(_ error: @autoclosure () -> ConfigurationError) {
        if errors.count < ConfigurationErrors.maxReported { errors.append(error()) } else { omitted += 1 }
    }

    static func += (left: inout ErrorList, right: ErrorList) {
        for error in right.errors { left.note(error) }
        left.omitted += right.omitted
    }
}
