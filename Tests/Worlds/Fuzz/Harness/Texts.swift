@testable import Core

/// Feeds the text of a `config.toml`. A refusal has a reason.
func feedConfiguration(_ octets: [UInt8]) {
    do throws(ConfigurationErrors) {
        let settings = try Settings.parse(utf8: octets)
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
