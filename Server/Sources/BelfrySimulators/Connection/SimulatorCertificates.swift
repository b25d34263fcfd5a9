import Crypto
import Foundation
import NIOSSL
import X509

/// A certificate authority for one run, and the one certificate that it signed. Its private key is discarded
/// immediately, so a client that trusts the root trusts only this server.
public struct SimulatorCertificates: Sendable {
    /// The root certificate that a client must trust, in PEM.
    public let rootPEM: String
    private let leafPEM: String
    private let keyPEM: String

    /// Creates keys and certificates for the names (DNS names or IP addresses), valid for a year.
    ///
    /// The keys come from the system's secure randomness and not from the simulator's generator: a client may trust the
    /// root, and keys derived from a seed are not secret.
    public init(names: [String], now: Date) throws {
        let names = Set(names).sorted()
        let rootKey = P256.Signing.PrivateKey()
        let leafKey = P256.Signing.PrivateKey()
        // RFC 5280 §4.2.1.1 and §4.2.1.2 require that both name their keys, and strict clients (Python 3.13) check it.
        let rootID = SubjectKeyIdentifier(hash: Certificate.PublicKey(rootKey.publicKey))
        let root = try Template(
            subject: DistinguishedName { CommonName("Belfry simulators, for tests only") },
            key: rootKey.publicKey,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                rootID
            }
        )
        let leaf = try Template(
            subject: DistinguishedName { CommonName("Belfry simulator") },
            key: leafKey.publicKey,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(Self.generalName))
                SubjectKeyIdentifier(hash: Certificate.PublicKey(leafKey.publicKey))
                AuthorityKeyIdentifier(keyIdentifier: rootID.keyIdentifier)
            }
        )
        rootPEM = try root.signed(by: rootKey, as: root.subject, now: now).serializeAsPEM().pemString
        leafPEM = try leaf.signed(by: rootKey, as: root.subject, now: now).serializeAsPEM().pemString
        keyPEM = leafKey.pemRepresentation
    }

    /// TLS 1.2 or later with the service's protocols (ALPN).
    func serverContext(protocols: [String]) throws -> NIOSSLContext {
        let leaf = try NIOSSLCertificate(bytes: Array(leafPEM.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(leaf)],
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
        configuration.shutdownTimeout = .seconds(2)
        return try NIOSSLContext(configuration: configuration)
    }

    private static func generalName(_ name: String) -> GeneralName {
        if name == "::1" {
            let loopback = [UInt8](repeating: 0, count: 15) + [1]
            return .ipAddress(.init(contentBytes: loopback[...]))
        }
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        let address = parts.compactMap { UInt8($0) }
        guard parts.count == 4, address.count == 4 else { return .dnsName(name) }
        return .ipAddress(.init(contentBytes: address[...]))
    }

    /// An unsigned certificate.
    private struct Template {
        /// The start of its validity in seconds before now, because clocks differ.
        static let before: TimeInterval = 86_400
        /// The end of its validity in seconds from now.
        static let after: TimeInterval = 365 * 86_400

        var subject: DistinguishedName
        var key: P256.Signing.PublicKey
        var extensions: Certificate.Extensions

        func signed(by issuerKey: P256.Signing.PrivateKey, as issuer: DistinguishedName, now: Date) throws
            -> Certificate
        {
            // The serial number follows from the key, so that two authorities of the same name never use the same one.
            let number = Array(SHA256.hash(data: key.x963Representation).prefix(16))
            return try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(bytes: number),
                publicKey: Certificate.PublicKey(key),
                notValidBefore: now.addingTimeInterval(-Self.before),
                notValidAfter: now.addingTimeInterval(Self.after),
                issuer: issuer,
                subject: subject,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: extensions,
                issuerPrivateKey: Certificate.PrivateKey(issuerKey)
            )
        }
    }
}
