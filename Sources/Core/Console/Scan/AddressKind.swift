/// What kind of address an advertiser uses: whether it will change by itself.
///
/// Core 5.4, Vol 6, Part B, 1.3. The raw value is the word in the JSON of `beacond scan`.
enum AddressKind: String, CaseIterable {
    case `public`
    case randomStatic = "random_static"
    case resolvablePrivate = "resolvable_private"
    case nonResolvablePrivate = "non_resolvable_private"
    /// A random address of the kind that the specification reserves.
    case reserved
    /// An extended advertisement without an address.
    case anonymous

    init(_ address: DeviceAddress) {
        switch address.type {
        case .public, .publicIdentity: self = .public
        case .randomIdentity: self = .randomStatic
        case .anonymous: self = .anonymous
        case .random:
            switch address.bits >> 46 {
            case 0b11: self = .randomStatic
            case 0b01: self = .resolvablePrivate
            case 0b00: self = .nonResolvablePrivate
            default: self = .reserved
            }
        }
    }

    /// For a narrow column. `private` is what rotates.
    var short: String {
        switch self {
        case .public: "public"
        case .randomStatic: "static"
        case .resolvablePrivate, .nonResolvablePrivate: "private"
        case .reserved: "random"
        case .anonymous: "none"
        }
    }
}
