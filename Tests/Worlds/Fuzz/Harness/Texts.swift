@testable import Core

/// Feeds the text of a `config.toml`. A refusal has a reason.
func feedConfiguration(_ octets: [UInt8]) {
    do throws(ConfigurationErrors) {
        let settings = try Settings.read(utf8: octets).settings
        require(settings.gateway.tracker.maxTransmitters > 0, "a limit is a limit")
        require(settings.gateway.regions.configured.allSatisfy { !$0.id.isEmpty }, "a region has an id")
    } catch {
        require(!error.errors.isEmpty, "what is refused says why")
        for error in error.errors { require(!error.description.isEmpty, "in words") }
    }
}

/// Feeds a request; the first octet chooses the verb. A definition of a region also passes the configuration's rules,
/// or is refused.
func feedRequest(_ octets: [UInt8]) {
    let verb = RequestVerb.allCases[Int(octets.first ?? 0) % RequestVerb.allCases.count]
    do throws(RequestError) {
        let request = try RequestReader.read(verb, Array(octets.dropFirst()))
        guard case .monitor(let definition) = request else { return }
        let again = StoredDefinition.read(definition.text, key: StoredDefinition.key("any"))
        require(again == definition, "a definition that is stored is read as it was")
        do throws(ConfigurationErrors) {
            _ = try Settings.defaults.gateway.regions.region(definition)
        } catch {
            require(!error.errors.isEmpty, "what is refused says why")
        }
    } catch {
        require(!error.text.isEmpty, "what is refused says why")
    }
}

/// Feeds the text of an identity resolving key, alone and in its table.
func feedKey(_ octets: [UInt8]) {
    let text = String(decoding: octets, as: UTF8.self)
    guard let key = ResolvingKeyText.octets(of: text) else { return }
    require(key.count == 16, "a key has 128 bits")
    let configuration = "[[device]]\nname = \"a\"\nirk = \"\(text)\"\n"
    do throws(ConfigurationErrors) {
        require(
            try Settings.parse(configuration).gateway.tracker.devices.first?.identityResolvingKey == key,
            "it is that key")
    } catch {
        require(false, "a key that is read is taken")
    }
}

/// Feeds a receiver's message to the format that the first octet chooses. What it reads, a controller could have
/// reported.
func feedReceiver(_ octets: [UInt8]) {
    let format = ReceiverFormat.allCases[Int(octets.first ?? 0) % ReceiverFormat.allCases.count]
    guard let message = try? format.read(Array(octets.dropFirst())) else { return }
    let packets = message.packets
    require(packets.count <= ReceivedPacket.mostInMessage, "the packets of a message are bounded")
    for packet in packets {
        let event = packet.event
        var (rejects, count) = (RejectCounts(), 0)
        AdvertisingEvent.decode(event.span.extracting(droppingFirst: 1), rejects: &rejects) { report, data in
            count += 1
            require(report.address == packet.address, "the address is that of the packet")
            require(data.count == packet.data.count, "the data is that of the packet")
        }
        require(count == 1 && rejects.total == 0, "a packet is one well-formed report")
    }
    var stream = ReceiverStream(at: .origin)
    let wall = WallTime(microseconds: 1_795_883_385_000_000)
    let heard = stream.receive(message, at: .origin + .seconds(10), wall: wall) ?? []
    require(heard.count <= packets.count, "no packet comes twice")
    require(message.isDated || heard.isEmpty == packets.isEmpty, "the first message counts, unless it is old")
    let again = stream.receive(message, at: .origin + .seconds(11), wall: wall)
    require(again != nil || !packets.isEmpty, "a heartbeat counts")
    require(zip(heard, heard.dropFirst()).allSatisfy { $0.at <= $1.at }, "the packets are in the order of time")
}
