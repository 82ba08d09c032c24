/// Hashes of identities and addresses for `SlotIndex`: two wide multiplications where `Hasher`, made for keys of any
/// length, takes 200 instructions.
///
/// The keys come off the air, so somebody might choose those that collide. The secrets are this process's own, drawn by
/// `Hasher`, and nothing that leaves it depends on them.
struct TransmitterHash: Sendable {
    private let secrets: (UInt64, UInt64, UInt64)

    init() {
        func draw(_ number: Int) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(number)
            // An odd factor loses no bit of the other.
            return UInt64(bitPattern: Int64(hasher.finalize())) | 1
        }
        secrets = (draw(1), draw(2), draw(3))
    }

    func callAsFunction(_ identity: BeaconIdentity) -> UInt64 {
        let numbers = UInt64(identity.major) << 16 | UInt64(identity.minor)
        return Self.fold(
            Self.fold(identity.uuid.high ^ secrets.0, identity.uuid.low ^ secrets.1) ^ numbers, secrets.2)
    }

    func callAsFunction(_ identity: BeaconIdentity, _ address: DeviceAddress) -> UInt64 {
        Self.fold(self(identity) ^ (address.bits << 8 | UInt64(address.type.rawValue)), secrets.0)
    }

    /// The two halves of the product, in one: every bit of it depends on every bit of both.
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
