import CBluetooth
import Core
import Glibc

extension AdapterSurvey {
    /// True if the kernel has Bluetooth now, and no sandbox hides it.
    package static var isSupported: Bool { (try? HCISocket()) != nil }

    /// Asks the kernel for the adapters. This needs no privilege and opens no adapter.
    ///
    /// There are none where the kernel has no Bluetooth, or a sandbox hides it.
    package static func current() -> AdapterSurvey {
        let switches = KillSwitches()
        guard let socket = try? HCISocket() else {
            return AdapterSurvey(adapters: [], hasBlockedSwitch: !switches.blocked.isEmpty, isSupported: false)
        }
        let adapters = socket.deviceIndices().compactMap { Adapter(index: $0, switches: switches) }
        return AdapterSurvey(
            adapters: adapters.sorted { $0.index < $1.index }, isPermitted: socket.passesAdvertisingReports(),
            hasBlockedSwitch: !switches.blocked.isEmpty)
    }
}

extension HCISocket {
    /// HCIGETDEVLIST: a count, followed by that many pairs of index and flags.
    fileprivate func deviceIndices() -> [UInt16] {
        let header = MemoryLayout<hci_dev_list_req>.size
        let stride = MemoryLayout<hci_dev_req>.stride
        let capacity = 64
        // The pairs are aligned to four octets, after the two of the count.
        let offset = max(header, MemoryLayout<hci_dev_req>.alignment)
        return withUnsafeTemporaryAllocation(byteCount: offset + capacity * stride, alignment: 8) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.storeBytes(of: UInt16(capacity), as: UInt16.self)
            guard let list = buffer.baseAddress, ioctl(descriptor, BEACOND_HCIGETDEVLIST, list) >= 0 else { return [] }
            let count = min(Int(buffer.load(as: UInt16.self)), capacity)
            return (0..<count).map { buffer.load(fromByteOffset: offset + $0 * stride, as: hci_dev_req.self).dev_id }
        }
    }

    /// Returns whether the kernel passes advertising reports to this process. Without CAP_NET_RAW it silently removes
    /// them from a filter, so reading the filter tells.
    fileprivate func passesAdvertisingReports() -> Bool {
        do {
            try setFilter(.scanning)
            return try filter().passes(event: EventCode.leMeta)
        } catch {
            return false
        }
    }
}

extension Adapter {
    /// `nil` where the adapter has gone since the list was made.
    fileprivate init?(index: UInt16, switches: KillSwitches) {
        var info = hci_dev_info()
        guard hci_devinfo(Int32(index), &info) >= 0 else { return nil }
        let octets = info.bdaddr.b
        let bits = [octets.5, octets.4, octets.3, octets.2, octets.1, octets.0].reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        self.init(
            index: index, address: DeviceAddress(bits: bits, type: .public),
            isUp: info.flags & (1 << UInt32(HCI_UP)) != 0, isBlocked: switches.blocked.contains("hci\(index)"))
    }
}

/// A Bluetooth adapter as the kernel lists it.
package struct Adapter: Hashable, Sendable {
    /// The N of `hciN`. It may change after the adapter was unplugged.
    var index: UInt16
    /// Zero until the adapter has been set up.
    package var address: DeviceAddress
    /// True if the adapter is powered; only then does it take commands.
    var isUp: Bool
    /// True if a radio kill switch holds the adapter.
    var isBlocked: Bool

    package var name: String { "hci\(index)" }
}

/// The Bluetooth radio kill switches of `/sys/class/rfkill`, one folder each:
///
///     type  "bluetooth"
///     name  the adapter, "hci0", or a machine's own switch
///     soft  "1" blocked by software
///     hard  "1" blocked by a switch or the firmware
struct KillSwitches {
    /// The names of the switches that block.
    let blocked: Set<String>

    init() {
        var blocked: Set<String> = []
        for folder in Self.names(in: Self.root) where Self.line("\(Self.root)/\(folder)/type") == "bluetooth" {
            let isBlocked = ["soft", "hard"].contains { Self.line("\(Self.root)/\(folder)/\($0)") == "1" }
            if isBlocked, let name = Self.line("\(Self.root)/\(folder)/name") { blocked.insert(name) }
        }
        self.blocked = blocked
    }

    private static let root = "/sys/class/rfkill"

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The first line of a small file, without its line end; `nil` where it can't be read.
    private static func line(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}
