import Crypto
import Foundation
import NIOSSL
import X509

/// A self-signed certificate and its key, made for one test.
struct TestCertificate {
    static let loopback = GeneralName.ipAddress(.init(contentBytes: [127, 0, 0, 1]))

    let pem: String
    private let keyPEM: String

    init(for name: GeneralName = Self.loopback) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName {
            CommonName("belfry tests")
        }
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            SubjectAlternativeNames([name])
        }
        let now = Date()
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PrivateKey(key).publicKey,
            notValidBefore: now.addingTimeInterval(-3_600),
            notValidAfter: now.addingTimeInterval(86_400),
            issuer: subject,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        pem = try certificate.serializeAsPEM().pemString
        keyPEM = key.pemRepresentation
    }

    func makeServerContext(protocols: [String]) throws -> NIOSSLContext {
        let certificate = try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.applicationProtocols = protocols
        configuration.shutdownTimeout = .milliseconds(100)
        return try NIOSSLContext(configuration: configuration)
    }
}
