import TestAir

extension [UInt8] {
    /// Returns the octets with up to four of them changed, left out, doubled or cut off.
    func mutated(by generator: inout SeededGenerator) -> [UInt8] {
        var octets = self
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !octets.isEmpty {
            let place = Int.random(in: octets.indices, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: octets[place] = UInt8.random(in: .min ... .max, using: &generator)
            case 1: octets[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: octets[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            case 3: octets.remove(at: place)
            case 4: octets.insert(octets[place], at: place)
            default: octets.removeLast(octets.count - place)
            }
        }
        return octets
    }
}
