/// The commands that the virtual controller knows: those with which Linux initialises such a controller, and those of a
/// scanner and of an advertiser.
///
/// Core 5.4, Vol 4, Part E, 7.1 to 7.8; the upper six bits are the group.
enum KnownCommand: UInt16, CaseIterable {
    // Controller and baseband (0x03).
    case setEventMask = 0x0C01
    case reset = 0x0C03
    case writeLocalName = 0x0C13
    case readLocalName = 0x0C14
    case writeClassOfDevice = 0x0C24
    case setEventMaskPage2 = 0x0C63
    case writeLEHostSupport = 0x0C6D

    // Informational parameters (0x04).
    case readLocalVersion = 0x1001
    case readLocalCommands = 0x1002
    case readLocalFeatures = 0x1003
    case readBufferSize = 0x1005
    case readAddress = 0x1009

    // LE controller (0x08).
    case leSetEventMask = 0x2001
    case leReadBufferSize = 0x2002
    case leReadLocalFeatures = 0x2003
    case leSetRandomAddress = 0x2005
    case leSetAdvertisingParameters = 0x2006
    case leReadAdvertisingTransmitPower = 0x2007
    case leSetAdvertisingData = 0x2008
    case leSetScanResponseData = 0x2009
    case leSetAdvertisingEnable = 0x200A
    case leSetScanParameters = 0x200B
    case leSetScanEnable = 0x200C
    case leReadFilterAcceptListSize = 0x200F
    case leClearFilterAcceptList = 0x2010
    case leRandom = 0x2018
    case leReadSupportedStates = 0x201C
    case leSetAdvertisingSetRandomAddress = 0x2035
    case leSetExtendedAdvertisingParameters = 0x2036
    case leSetExtendedAdvertisingData = 0x2037
    case leSetExtendedScanResponseData = 0x2038
    case leSetExtendedAdvertisingEnable = 0x2039
    case leReadMaximumAdvertisingDataLength = 0x203A
    case leReadNumberOfAdvertisingSets = 0x203B
    case leRemoveAdvertisingSet = 0x203C
    case leClearAdvertisingSets = 0x203D
    case leSetExtendedScanParameters = 0x2041
    case leSetExtendedScanEnable = 0x2042

    /// Legacy or extended commands. A host may use only one family until it resets the controller.
    enum Family {
        case legacy
        case extended
    }

    /// The family of the command, if it has one.
    ///
    /// Core 5.4, Vol 4, Part E, 3.1.1.
    var family: Family? {
        switch self {
        case .leSetAdvertisingParameters, .leReadAdvertisingTransmitPower, .leSetAdvertisingData,
            .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable:
            .legacy
        case .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
            .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength, .leReadNumberOfAdvertisingSets,
            .leRemoveAdvertisingSet, .leClearAdvertisingSets, .leSetExtendedScanParameters,
            .leSetExtendedScanEnable:
            .extended
        default: nil
        }
    }

    /// Whether the command is part of extended advertising: other controllers don't know it.
    var needsExtendedAdvertising: Bool { family == .extended || self == .leSetAdvertisingSetRandomAddress }
}
