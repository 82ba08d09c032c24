import Agent
import Core

/// The lines of `beacond check` about the certificate, its key and the authorities.
extension CheckReport {
    /// Says nothing where the configuration names no files.
    mutating func addCertificates(_ broker: BrokerSettings, at now: WallTime) {
        if !broker.certificateFile.isEmpty {
            addOwn(broker.certificateFile, at: now)
            addKey(broker.keyFile, of: broker.certificateFile)
        }
        if !broker.caFile.isEmpty { addAuthorities(broker.caFile, at: now) }
    }

    private mutating func addOwn(_ path: String, at now: WallTime) {
        switch CertificateFile.first(path) {
        case .failure(let fault): unreadable("certificate", path, fault, key: "mqtt.cert_file")
        case .success(let certificate):
            let owner = "\(certificate.owner), issued by \(certificate.issuedBy)"
            add(
                "certificate", owner, certificate, at: now,
                remedy:
                    "renew it: beacond-renew.timer does that by itself once /etc/default/beacond-renew names a server")
        }
    }

    private mutating func addKey(_ path: String, of certificate: String) {
        switch CertificateFile.fits(certificate: certificate, key: path) {
        case .failure(let fault): unreadable("key", path, fault, key: "mqtt.key_file")
        case .success(true): add("key", "\(path) belongs to the certificate", remedy: "")
        case .success(false):
            add(
                "key", "\(path) does not belong to the certificate in \(certificate)",
                remedy: "put the key there with which this certificate was requested")
        }
    }

    /// Adds the authority that is valid longest: during a change of authorities a file has the old one too.
    private mutating func addAuthorities(_ path: String, at now: WallTime) {
        switch CertificateFile.all(path) {
        case .failure(let fault): unreadable("authorities", path, fault, key: "mqtt.ca_file")
        case .success(let certificates):
            guard let last = certificates.max(by: { $0.expires < $1.expires }) else { return }
            let others = certificates.count == 1 ? "" : ", the last of \(certificates.count) to expire"
            add(
                "authorities", last.owner + others, last, at: now,
                remedy: "put the authority's new certificate into \(path), beside the present one")
        }
    }

    private mutating func add(
        _ subject: String, _ owner: String, _ certificate: Certificate, at now: WallTime, remedy: String
    ) {
        let expires = Timestamp.text(certificate.expires)
        let days = Int(((certificate.expires - now).seconds / 86_400).rounded(.down))
        let left = "\(owner), until \(expires): \(days) \(days == 1 ? "day" : "days") left"
        switch certificate.validity(at: now) {
        case .good: add(subject, left, remedy: "")
        case .renewSoon: warn(subject, left)
        case .renewNow: add(subject, left, remedy: remedy)
        case .expired: add(subject, "\(owner), expired at \(expires)", remedy: remedy)
        case .notYetValid:
            add(
                subject, "\(owner), is not valid before \(Timestamp.text(certificate.validFrom))",
                remedy: "set this machine's clock, or wait")
        }
    }

    private mutating func unreadable(_ subject: String, _ path: String, _ fault: CertificateFault, key: String) {
        add(
            subject, "\(path) can't be read: \(fault.reason)",
            remedy: "correct \(key) or the file, and run this check as the agent's user")
    }
}
