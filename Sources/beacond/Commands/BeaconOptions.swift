import ArgumentParser
import Beacons
import Configuration

extension ProximityUUID: ExpressibleByArgument {
    /// 32 hexadecimal digits, with dashes or without.
    public init?(argument: String) { self.init(argument) }
}

extension RadioSettings.Adapter: ExpressibleByArgument {
    /// `auto`, `hci0` or an address.
    public init?(argument: String) {
        if argument == "auto" { self = .automatic } else { self.init(name: argument) }
    }

    /// What holds without the option.
    public var defaultValueDescription: String { "auto" }
}
