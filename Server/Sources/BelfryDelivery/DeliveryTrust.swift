import NIOSSL

/// The certificates that a connection trusts.
package enum DeliveryTrust: Sendable {
    /// The machine's certificate authorities.
    case system
    /// Only these certificates, each as PEM.
    case roots([String])
    /// These certificates and the machine's certificate authorities.
    case systemAnd([String])
    /// Any certificate: for benchmarks against a sink of one's own.
    case insecure

    /// TLS 1.2 or later, and HTTP/2 by ALPN, as APNs, FCM and RFC 9113 §9.2 require.
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
    /// The trust root at this index is not a PEM certificate.
    case unreadableRoot(index: Int)
    /// The TLS library rejects the configuration.
    case unusable(any Error)
}
