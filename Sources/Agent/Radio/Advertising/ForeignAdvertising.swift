import Core

/// Recognises commands by which another process, or the kernel, may have ended or changed the agent's advertisement.
///
/// H4 command packet, Core 5.4, Vol 4, Part E, 5.4.1:
///
///     octet 0      0x01
///     octets 1, 2  opcode, least significant octet first
///     octet 3      length of the parameters
///     octets 4…    the parameters; with the extended commands the set's handle is the first of them, but for
///                  LE Set Extended Advertising Enable (7.8.56), where the handles stand in a list
enum ForeignAdvertising {
    /// - Parameters:
    ///   - family: the commands that the agent advertises with.
    ///   - handle: the agent's advertising set among the extended ones.
    static func disturbs(_ packet: Span<UInt8>, family: CommandFamily, handle: UInt8) -> Bool {
        guard packet.count >= 4, packet[0] == PacketType.command.rawValue else { return false }
        let opcode = Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        if opcode == .reset { return true }
        let parameters = packet.extracting(droppingFirst: 4)
        return switch family {
        case .legacy:
            [.advertisingParameters(.legacy), .advertisingData(.legacy), .advertisingEnable(.legacy)].contains(opcode)
        case .extended: disturbsSet(handle, opcode, parameters)
        }
    }

    private static func disturbsSet(_ handle: UInt8, _ opcode: Opcode, _ parameters: Span<UInt8>) -> Bool {
        let clearAdvertisingSets = Opcode(rawValue: 0x203D)
        switch opcode {
        case clearAdvertisingSets:
            return true
        case .advertisingParameters(.extended), .advertisingData(.extended), .removeAdvertisingSet:
            return !parameters.isEmpty && parameters[0] == handle
        case .advertisingEnable(.extended):
            guard let sets = AdvertisingSets(parameters: parameters) else { return false }
            return sets.handles.isEmpty || sets.handles.contains(handle)
        default:
            return false
        }
    }
}
