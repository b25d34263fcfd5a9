import BelfryModel
import Crypto
import Foundation

/// Reads the `.p8` file that Apple issues: a P-256 key in PKCS#8 (RFC 5958), as PEM.
enum APNsPrivateKey {
    /// The maximum length of the PEM text in bytes; Apple's files have about 260.
    static let maximumLength = 16_384

    static func parse(_ pem: String) throws(ValueError) -> P256.Signing.PrivateKey {
        guard pem.utf8.count <= maximumLength else {
            throw ValueError(code: "tooLong", message: "A private key has at most \(maximumLength) bytes.")
        }
        guard let block = PEMBlock.blocks(in: pem)?.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
            throw valueError("It is not PEM text with a private key.")
        }
        guard block.label == "PRIVATE KEY" else {
            throw valueError("It is a PEM block '\(shown(block.label))', not 'PRIVATE KEY'.")
        }
        try checkAlgorithm(of: Array(block.der.prefix(algorithmSearchLength)))
        do {
            return try P256.Signing.PrivateKey(derRepresentation: block.der)
        } catch {
            throw valueError("The content of the PEM block is damaged.")
        }
    }

    // The algorithm identifier is at the beginning of the key, after a length and a version of at most 7 bytes.
    private static let algorithmSearchLength = 48
    private static let rsa: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]
    private static let ellipticCurve: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
    private static let p256: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]

    /// Checks that the key is on P-256: swift-crypto accepts any 32 bytes as a P-256 key, also those of another 256-bit
    /// curve.
    private static func checkAlgorithm(of der: [UInt8]) throws(ValueError) {
        guard der.firstRange(of: rsa) == nil else { throw valueError("It is an RSA key.") }
        guard der.firstRange(of: ellipticCurve) != nil else { throw valueError("It is not an elliptic-curve key.") }
        guard der.firstRange(of: ellipticCurve + p256) != nil else { throw valueError("It is a key on another curve.") }
    }

    private static func valueError(_ what: String) -> ValueError {
        ValueError(
            code: "invalidPrivateKey",
            message: "\(what) Allowed is the .p8 file of an APNs key: a P-256 private key in PKCS#8, as PEM."
        )
    }

    private static func shown(_ label: String) -> String {
        String(label.prefix(32))
    }
}
