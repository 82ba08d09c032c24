@testable import Core

/// The parameters of a scan that a controller accepts, Core 5.4, Vol 4, Part E, 7.8.10 and 7.8.64. The commands of
/// `Core` show their layout.
enum ScanParameters {
    private static let longestLegacy: UInt16 = 0x4000

    static func isValid(legacy parameters: Span<UInt8>) -> Bool {
        parameters.count == 7 && isScan(parameters, at: 0, longest: longestLegacy)
            && isAddressAndFilter(parameters, at: 5)
    }

    static func isValid(extended parameters: Span<UInt8>) -> Bool {
        guard parameters.count >= 3, isAddressAndFilter(parameters, at: 0) else { return false }
        let phys = parameters[2]
        guard phys != 0, phys & ~0b101 == 0, parameters.count == 3 + 5 * phys.nonzeroBitCount else { return false }
        return stride(from: 3, to: parameters.count, by: 5).allSatisfy { isScan(parameters, at: $0, longest: .max) }
    }

    /// Own_Address_Type and the filter policy, which have four values each.
    private static func isAddressAndFilter(_ parameters: Span<UInt8>, at index: Int) -> Bool {
        parameters[index] <= 0x03 && parameters[index + 1] <= 0x03
    }

    /// Type, interval and window of a scan: the window has 2.5 ms at least, and at most the interval.
    private static func isScan(_ parameters: Span<UInt8>, at index: Int, longest: UInt16) -> Bool {
        let (interval, window) = (parameters.parameter16(at: index + 1), parameters.parameter16(at: index + 3))
        return parameters[index] <= 0x01 && window >= 0x0004 && window <= interval && interval <= longest
    }
}
