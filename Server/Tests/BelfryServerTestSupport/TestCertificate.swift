import Crypto
import Foundation
import NIOSSL
import X509

/// A self-signed certificate for `localhost` and `127.0.0.1`, or for another name, and its key, made for one test.
package struct TestCertificate: Sendable {
    package let pem: String
    package let keyPEM: String

    /// - Parameter name: the only one that it is for; nil for this machine's.
    package init(for name: String? = nil, notBefore: Date = .distantPast, notAfter: Date) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName {
            CommonName("belfry tests")
        }
        let local: [GeneralName] = [.dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1]))]
        let names: [GeneralName] = name.map { [GeneralName.dnsName($0)] } ?? local
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            SubjectAlternativeNames(names)
        }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PrivateKey(key).publicKey,
            // The earliest date that X.509 writes in its older form.
            notValidBefore: max(notBefore, Date(timeIntervalSince1970: 0)),
            notValidAfter: notAfter,
            issuer: subject,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        pem = try certificate.serializeAsPEM().pemString
        keyPEM = key.pemRepresentation
    }

    /// A certificate that clients accept, by the real time.
    package static func good(for name: String? = nil) throws -> TestCertificate {
        try TestCertificate(for: name, notAfter: Date(timeIntervalSinceNow: 10 * 365 * 86_400))
    }

    /// A server that shows it.
    package func server(_ change: (inout TLSConfiguration) -> Void = { _ in }) throws -> NIOSSLContext {
        let certificate = try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)
        )
        change(&configuration)
        return try NIOSSLContext(configuration: configuration)
    }

    /// A client that trusts this certificate and no other.
    package func client(_ change: (inout TLSConfiguration) -> Void = { _ in }) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)])
        change(&configuration)
        return try NIOSSLContext(configuration: configuration)
    }
}
