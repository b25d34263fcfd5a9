import BelfryModel
import CryptoExtras
import Foundation

/// Reads the `private_key` of a service account: an RSA key in PKCS#8 or PKCS#1, as PEM.
enum ServiceAccountKey {
    /// The minimum size in bits; Google's keys have 2,048.
    private static let minimumBits = 2_048

    static func parse(_ pem: String) throws(ValueError) -> _RSA.Signing.PrivateKey {
        guard let block = PEMBlock.blocks(in: pem)?.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
            throw valueError("It is not PEM text with a private key.")
        }
        guard ["PRIVATE KEY", "RSA PRIVATE KEY"].contains(block.label) else {
            throw valueError("It is a PEM block of another kind.")
        }
        do {
            return try _RSA.Signing.PrivateKey(derRepresentation: block.der)
        } catch {
            throw valueError("It is not an RSA key, is shorter than \(minimumBits) bits, or is damaged.")
        }
    }

    private static func valueError(_ what: String) -> ValueError {
        ValueError(
            code: "invalidPrivateKey",
            message: "\(what) Allowed is the 'private_key' of the file that Google provides: an RSA private key of "
                + "at least \(minimumBits) bits, as PEM."
        )
    }
}
