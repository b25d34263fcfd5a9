import BelfryModel
import BelfryPush
import BelfryServerModel
import Crypto
import CryptoExtras
import Foundation

/// A public key that checks the signatures of an identity provider.
enum VerificationKey: Sendable {
    /// Allowed bits of an RSA modulus: fewer are weak (RFC 7518 §3.3), more make each check slow.
    static let modulusBits = 2_048...4_096
    /// Allowed bits of an RSA exponent.
    static let exponentBits = 2...33
    /// Bytes of a coordinate of P-256, and of each half of a signature.
    static let coordinateBytes = 32

    case rs256(_RSA.Signing.PublicKey)
    case es256(P256.Signing.PublicKey)

    /// Reads a key for one algorithm. An error names the key's member.
    init(_ key: JSONWebKey, for algorithm: SigningAlgorithm) throws(FieldError) {
        switch algorithm {
        case .rs256: self = .rs256(try Self.rsa(key))
        case .es256: self = .es256(try Self.p256(key))
        }
    }

    /// Whether the owner of the key signed these bytes.
    func verifies(_ signature: [UInt8], of signed: some Sequence<UInt8>) -> Bool {
        let signed = Array(signed)
        switch self {
        case .rs256(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: signed, padding: .insecurePKCS1v1_5
            )
        case .es256(let key):
            // A signature is both halves in full length (RFC 7518 §3.4), never DER.
            guard signature.count == 2 * Self.coordinateBytes,
                let halves = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(halves, for: signed)
        }
    }

    private static func rsa(_ key: JSONWebKey) throws(FieldError) -> _RSA.Signing.PublicKey {
        let modulus = try bytes(key.n, "n").drop { $0 == 0 }
        let exponent = try bytes(key.e, "e").drop { $0 == 0 }
        guard modulusBits.contains(bitCount(modulus)) else {
            let (least, most) = (modulusBits.lowerBound, modulusBits.upperBound)
            throw fieldError("n", "An RSA modulus has \(least) to \(most) bits, not \(bitCount(modulus)).")
        }
        guard exponentBits.contains(bitCount(exponent)), (exponent.last ?? 0) & 1 == 1 else {
            throw fieldError("e", "An RSA exponent is odd and has 2 to 33 bits, as 'AQAB' has.")
        }
        do {
            return try _RSA.Signing.PublicKey(n: Array(modulus), e: Array(exponent))
        } catch {
            throw fieldError("n", "This is not an RSA modulus.")
        }
    }

    private static func p256(_ key: JSONWebKey) throws(FieldError) -> P256.Signing.PublicKey {
        let x = try coordinate(key.x, "x")
        let y = try coordinate(key.y, "y")
        // The prefix of an uncompressed point, and its coordinates (SEC 1 §2.3.3).
        let point: [UInt8] = [4] + x + y
        do {
            return try P256.Signing.PublicKey(x963Representation: point)
        } catch {
            throw fieldError("x", "x and y are not a point of the curve P-256.")
        }
    }

    private static func coordinate(_ text: String?, _ member: String) throws(FieldError) -> [UInt8] {
        let bytes = try bytes(text, member)
        guard bytes.count == coordinateBytes else {
            throw fieldError(member, "A coordinate of P-256 has \(coordinateBytes) bytes, not \(bytes.count).")
        }
        return bytes
    }

    private static func bytes(_ text: String?, _ member: String) throws(FieldError) -> [UInt8] {
        guard let text, !text.isEmpty else { throw fieldError(member, "This key needs '\(member)'.") }
        guard let bytes = Base64URL.decodeCanonical(utf8: text.utf8) else {
            throw fieldError(member, "This is not base64url without padding.")
        }
        return bytes
    }

    /// The number of bits of a number whose first byte is not zero.
    private static func bitCount(_ number: ArraySlice<UInt8>) -> Int {
        guard let first = number.first else { return 0 }
        return number.count * 8 - first.leadingZeroBitCount
    }

    private static func fieldError(_ member: String, _ message: String) -> FieldError {
        FieldError(field: member, error: ValueError(code: "invalidKey", message: message))
    }
}
