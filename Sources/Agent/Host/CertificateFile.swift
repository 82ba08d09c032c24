import Core
import Glibc

/// Distinguishes versions of a file without reading it, so that a key need not be kept in memory for a comparison.
package struct FileStamp: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t
    private let size_bytes: off_t
    private let modified_s: Int
    private let modified_ns: Int

    /// `nil` where the file is missing, or may not be examined. Links are followed.
    package init?(path: String) {
        var information = stat()
        guard !path.isEmpty, stat(path, &information) == 0 else { return nil }
        device = information.st_dev
        inode = information.st_ino
        size_bytes = information.st_size
        modified_s = information.st_mtim.tv_sec
        modified_ns = information.st_mtim.tv_nsec
    }
}

/// A PEM file with certificates or a private key.
package enum CertificateFile {
    /// More than any list of authorities has.
    private static let maxLength_bytes = 4 << 20

    /// Returns the first certificate of a file, which is the client's own.
    package static func first(_ path: String) -> Result<Certificate, CertificateFault> {
        all(path).flatMap { certificates in certificates.first.map { .success($0) } ?? .failure(.none) }
    }

    /// Returns all certificates of a file; an empty list is a fault.
    package static func all(_ path: String) -> Result<[Certificate], CertificateFault> {
        contents(path).flatMap { octets in
            let certificates = Certificate.all(inPEM: octets)
            return certificates.isEmpty ? .failure(.none) : .success(certificates)
        }
    }

    /// Returns whether the key of one file belongs to the certificate of the other.
    package static func fits(certificate: String, key: String) -> Result<Bool, CertificateFault> {
        contents(certificate).flatMap { octets in
            contents(key).flatMap { key in
                Certificate.fits(pem: octets, key: key).map { .success($0) }
                    ?? .failure(CertificateFault(reason: "it has no private key, or one with a passphrase"))
            }
        }
    }

    private static func contents(_ path: String) -> Result<[UInt8], CertificateFault> {
        do throws(FileError) {
            let octets = try InputFile.readAll(path, limit: maxLength_bytes)
            guard octets.count > maxLength_bytes else { return .success(octets) }
            return .failure(CertificateFault(reason: "it is longer than \(maxLength_bytes >> 20) MiB"))
        } catch {
            return .failure(CertificateFault(reason: error.reason))
        }
    }
}

extension CertificateFault {
    fileprivate static let none = CertificateFault(reason: "it has no certificate in PEM")
}

/// The agent's certificate, which is read again when its file changes.
package struct WatchedCertificate {
    private let path: String
    private var stamp: FileStamp?
    private var certificate: Certificate?

    /// - Parameter path: empty where the agent has no certificate.
    package init(path: String) { self.path = path }

    /// Returns the certificate as its file has it now; `nil` where there is none, or it can't be read.
    package mutating func look() -> Certificate? {
        if path.isEmpty { return nil }
        let now = FileStamp(path: path)
        if now == nil || now != stamp { certificate = try? CertificateFile.first(path).get() }
        stamp = now
        return certificate
    }
}
