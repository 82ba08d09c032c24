/// Every table and key that `config.toml` may have, in the order of the default file.
public enum ConfigurationReference {
    public static let tables = [
        GatewaySection.table, RadioSection.table, RotationSection.table, SmoothingSection.table, DistanceSection.table,
        RegionsSection.table, RegionSection.table, RangingSection.table, DeviceSection.table, MQTTSection.table,
        OutboxSection.table, PrivacySection.table, CommandsSection.table, HealthSection.table,
        AdvertiseSection.table, CaptureSection.table, LogSection.table,
    ]

    /// The name as it stands in the path of a key: in quotation marks and shortened where it is not plain.
    static func path(_ name: String) -> String {
        let isPlain = !name.isEmpty && name.utf8.count <= 60 && name.utf8.allSatisfy(isBareKeyOctet)
        return isPlain ? name : name.quoted
    }

    /// What TOML allows in a key without quotation marks.
    static func isBareKeyOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
