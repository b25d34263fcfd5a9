import NIOSSL

/// Which servers a connection trusts.
package enum DeliveryTrust: Sendable {
    /// The certificate authorities of the machine.
    case system
    /// These certificates and no others, each as PEM.
    case roots([String])
    /// These certificates, and the certificate authorities of the machine.
    case systemAnd([String])
    /// Everybody: for benchmarks against a sink of one's own.
    case insecure

    /// TLS 1.2 or later and HTTP/2 by ALPN, as APNs, FCM and RFC 9113 §9.2 ask.
    func makeContext() throws(DeliveryTrustError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = [Self.http2]
        configuration.shutdownTimeout = .seconds(1)
        switch self {
        case .system:
            break
        case .roots(let texts):
            configuration.trustRoots = .certificates(try Self.certificates(texts))
        case .systemAnd(let texts):
            configuration.additionalTrustRoots = [.certificates(try Self.certificates(texts))]
        case .insecure:
            configuration.certificateVerification = .none
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw DeliveryTrustError.unusable(error)
        }
    }

    static let http2 = "h2"

    private static func certificates(_ texts: [String]) throws(DeliveryTrustError) -> [NIOSSLCertificate] {
        var certificates: [NIOSSLCertificate] = []
        for (index, text) in texts.enumerated() {
            guard let found = try? NIOSSLCertificate.fromPEMBytes(Array(text.utf8)), !found.isEmpty else {
                throw DeliveryTrustError.unreadableRoot(index: index)
            }
            certificates.append(contentsOf: found)
        }
        return certificates
    }
}

package enum DeliveryTrustError: Error {
    /// The trust root at this place of the list is not a certificate in PEM.
    case unreadableRoot(index: Int)
    /// TLS refuses the configuration.
    case unusable(any Error)
}
