import ArgumentParser
import Core

extension ProximityUUID: ExpressibleByArgument {
    /// 32 hexadecimal digits, with dashes or without.
    package init?(argument: String) { self.init(argument) }
}

extension RadioSettings.Adapter: ExpressibleByArgument {
    /// `auto`, `hci0` or an address.
    package init?(argument: String) {
        if argument == "auto" { self = .automatic } else { self.init(name: argument) }
    }

    /// What holds without the option.
    package var defaultValueDescription: String { "auto" }
}
