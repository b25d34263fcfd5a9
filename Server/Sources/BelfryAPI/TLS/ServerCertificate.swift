import Foundation
import NIOSSL

/// The PEM files of the server's certificate and of its private key (SEC-1).
package struct ServerCertificateFiles: Hashable, Sendable {
    /// The server's own certificate first, then the intermediate ones.
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Shows whether the files were replaced or rewritten.
    struct Stamp: Hashable, Sendable {
        fileprivate let certificate: FileStamp?
        fileprivate let key: FileStamp?
    }

    var stamp: Stamp { Stamp(certificate: FileStamp(certificate), key: FileStamp(key)) }

    func load() throws(ServerCertificateError) -> ServerCertificate {
        let (certificateBytes, keyBytes) = (try Self.read(certificate), try Self.read(key))
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificateBytes), let leaf = chain.first else {
            throw .notACertificate(path: certificate)
        }
        guard let privateKey = try? NIOSSLPrivateKey(bytes: keyBytes, format: .pem) else {
            throw .notAKey(path: key)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = .seconds(2)
        do {
            return ServerCertificate(
                context: try NIOSSLContext(configuration: configuration),
                notBefore: Date(timeIntervalSince1970: TimeInterval(leaf.notValidBefore)),
                notAfter: Date(timeIntervalSince1970: TimeInterval(leaf.notValidAfter))
            )
        } catch {
            throw .mismatch(certificate: certificate, key: key)
        }
    }

    private static func read(_ path: String) throws(ServerCertificateError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw .notReadable(path: path) }
        return [UInt8](data)
    }
}

/// A certificate with its key, ready to use.
struct ServerCertificate: Sendable {
    /// How long before it expires operators are warned, in seconds.
    static let warning: TimeInterval = 7 * 86_400

    enum Validity: Hashable, Sendable {
        case notYet
        case valid
        case endsSoon
        case expired
    }

    /// TLS 1.2 or later, HTTP/1.1.
    let context: NIOSSLContext
    let notBefore: Date
    let notAfter: Date

    func validity(at now: Date) -> Validity {
        if now >= notAfter { return .expired }
        if now < notBefore { return .notYet }
        return now >= notAfter.addingTimeInterval(-Self.warning) ? .endsSoon : .valid
    }
}

package enum ServerCertificateError: Error, CustomStringConvertible {
    case notReadable(path: String)
    case notACertificate(path: String)
    case notAKey(path: String)
    case mismatch(certificate: String, key: String)

    package var description: String {
        switch self {
        case .notReadable(let path): "The file \(path) cannot be read. Check its name, owner and permissions."
        case .notACertificate(let path):
            "The file \(path) contains no PEM certificate ('-----BEGIN CERTIFICATE-----'); the server's comes first."
        case .notAKey(let path):
            "The file \(path) contains no PEM private key ('-----BEGIN PRIVATE KEY-----') without a passphrase."
        case .mismatch(let certificate, let key):
            "The private key in \(key) does not match the certificate in \(certificate). Give a matching pair."
        }
    }
}
