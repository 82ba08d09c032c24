/// Errors as they are found, up to the limit of what is reported; the rest is only counted.
struct ErrorList: Hashable, Sendable {
    private(set) var errors: [ConfigurationError] = []
    private(set) var omitted = 0

    var isEmpty: Bool { errors.isEmpty }

    /// An error beyond the limit is not even made, because that costs more than to find it.
    mutating func note(_ error: @autoclosure () -> ConfigurationError) {
        if errors.count < ConfigurationErrors.maxReported { errors.append(error()) } else { omitted += 1 }
    }

    /// Says in which line of the file each stands.
    mutating func place(in text: String) {
        let lines = TOMLDocument.lines(of: errors.map(\.key), in: text)
        for (index, line) in zip(errors.indices, lines) { errors[index].line = line }
    }

    static func += (left: inout ErrorList, right: ErrorList) {
        for error in right.errors { left.note(error) }
        left.omitted += right.omitted
    }
}
