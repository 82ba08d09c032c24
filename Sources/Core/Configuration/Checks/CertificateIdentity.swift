/// The place of a gateway's site and id.
package enum IdentitySource: String, CaseIterable, Sendable {
    /// `site` and `id` of `[gateway]`.
    case configured
    /// The common name of `[mqtt] cert_file`.
    case certificate
}

/// Reads the site and the id from the gateway's certificate, for `[gateway] identity = "certificate"`.
///
/// A broker knows its client by the common name of the certificate, so that name alone decides what the client may
/// publish. The name is `SITE/ID`, for a store's own agent `SITE/site`.
package struct CertificateIdentity {
    /// The command that needs the identity.
    package enum Role: Sendable {
        /// A gateway: any id but that of the store.
        case gateway
        /// `beacond site`: the id of the store.
        case site
        /// `beacond check`, which runs on both kinds of machine.
        case any
    }

    private let role: Role
    private let read: (String) -> Result<Certificate, CertificateFault>

    /// - Parameter read: returns the first certificate of the file at a path.
    package init(for role: Role, _ read: @escaping (String) -> Result<Certificate, CertificateFault>) {
        self.role = role
        self.read = read
    }

    /// Returns the site and the id that the certificate at `path` names.
    func name(in path: String) throws(ConfigurationError) -> (site: String, id: String) {
        guard !path.isEmpty else {
            throw ConfigurationError(
                key: "mqtt.cert_file", value: "\"\"",
                requirement: "must be set where gateway.identity is \"certificate\", which names the gateway")
        }
        func refusal(_ why: String) -> ConfigurationError {
            ConfigurationError(key: "mqtt.cert_file", value: path.quoted, requirement: why)
        }
        switch read(path) {
        case .failure(let fault): throw refusal("can't be read as the gateway's certificate: \(fault.reason)")
        case .success(let certificate):
            let names = certificate.commonNames
            guard let name = names.first, names.count == 1 else {
                let all = names.map(\.quoted).joined(separator: " and ")
                throw refusal(
                    names.isEmpty
                        ? "its subject has no common name; the common name must be SITE/ID"
                        : "its subject has \(names.count) common names, \(all); there must be one, SITE/ID")
            }
            let levels = name.split(separator: "/", omittingEmptySubsequences: false)
            guard levels.count == 2, levels.allSatisfy({ TopicName.isLevel($0) }) else {
                throw refusal(
                    "its common name is \(name.quoted); it must be SITE/ID, two topic levels of 1 to "
                        + "\(TopicName.maxLevel_bytes) bytes each without + # or control characters")
            }
            let (site, id) = (String(levels[0]), String(levels[1]))
            if let refused = objection(toID: id) { throw refusal("its common name is \(name.quoted); \(refused)") }
            return (site, id)
        }
    }

    private func objection(toID id: String) -> String? {
        switch role {
        case .gateway: IdentitySettings.refusal(ofID: id).map { "its id " + $0 }
        case .site: id == SiteSettings.gatewayID ? nil : "the store's own certificate is named SITE/site"
        case .any: nil
        }
    }
}

/// The reason for which a file gives no certificate, in a few words.
package struct CertificateFault: Error, Hashable, Sendable {
    package var reason: String

    package init(reason: String) { self.reason = reason }
}

extension Certificate {
    /// The common name for a terminal: short, in one line.
    package var owner: String { commonNames.isEmpty ? "no common name" : commonNames.joined(separator: ", ").shortened }
    /// The issuer for a terminal.
    package var issuedBy: String { issuer.shortened }
}
