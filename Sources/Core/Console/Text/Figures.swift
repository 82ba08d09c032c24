/// Numbers as a person reads them in a narrow column.
package enum Figures {
    /// About three digits: `0.42`, `12.3`, `214`.
    static func short(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        return switch abs(value) {
        case ..<9.995: fixed(value, decimals: 2)
        case ..<99.95: fixed(value, decimals: 1)
        default: fixed(value, decimals: 0)
        }
    }

    /// Half away from zero; what is not finite is a dash.
    static func fixed(_ value: Double, decimals: Int) -> String {
        guard value.isFinite else { return "-" }
        var scale = 1.0
        for _ in 0..<min(max(decimals, 0), 6) { scale *= 10 }
        // Nothing shown comes near this; a larger number would not fit the integer below.
        let scaled = Int64((min(max(value, -1e12), 1e12) * scale).rounded())
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
        let sign = scaled < 0 ? "-" : ""
        guard decimals > 0 else { return sign + String(whole) }
        let digits = String(fraction)
        return sign + "\(whole)." + String(repeating: "0", count: max(0, decimals - digits.utf8.count)) + digits
    }
}
