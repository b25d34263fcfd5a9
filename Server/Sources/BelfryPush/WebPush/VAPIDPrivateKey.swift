import BelfryModel
import Crypto
import Foundation

/// Reads a VAPID key in the forms that tools export: 32 bytes in base64url, or PEM (PKCS#8, SEC 1).
enum VAPIDPrivateKey {
    /// The maximum length of the text in bytes.
    static let maximumLength = 16_384
    /// The length of the key's number in bytes.
    private static let length = 32

    static func parse(_ raw: String) throws(ValueError) -> P256.Signing.PrivateKey {
        guard raw.utf8.count <= maximumLength else {
            throw ValueError(code: "tooLong", message: "A private key has at most \(maximumLength) bytes.")
        }
        let text = raw.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.firstRange(of: "-----".utf8) != nil else { return try plain(text) }
        guard let block = PEMBlock.blocks(in: text)?.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
            throw valueError("It is not PEM text with a private key.")
        }
        guard ["PRIVATE KEY", "EC PRIVATE KEY"].contains(block.label) else {
            throw valueError("It is a PEM block of another kind.")
        }
        // swift-crypto accepts any 32 bytes as a P-256 key, also those of another 256-bit curve.
        guard block.der.firstRange(of: p256) != nil else { throw valueError("It is not a key on the curve P-256.") }
        do {
            return try P256.Signing.PrivateKey(derRepresentation: block.der)
        } catch {
            throw valueError("The content of the PEM block is damaged.")
        }
    }

    private static let p256: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]

    private static func plain(_ text: String) throws(ValueError) -> P256.Signing.PrivateKey {
        guard let bytes = Base64URL.decode(text), bytes.count == length,
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else {
            throw valueError("It is neither PEM nor \(length) bytes in base64url.")
        }
        return key
    }

    private static func valueError(_ what: String) -> ValueError {
        ValueError(
            code: "invalidPrivateKey",
            message: "\(what) Allowed is a P-256 private key: the \(length) bytes in base64url that VAPID tools print, "
                + "or PEM."
        )
    }
}
