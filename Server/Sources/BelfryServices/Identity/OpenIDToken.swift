import BelfryModel
import BelfryPush
import Foundation

/// A token of an identity provider, parsed but not verified (RFC 7515 §7.1).
struct OpenIDToken: Hashable, Sendable {
    static let maximumBytes = 8_192

    let algorithm: SigningAlgorithm
    /// The id of the key that signed the token.
    let keyID: String?
    /// The signed bytes: the first two parts with the dot between them.
    let signed: ArraySlice<UInt8>
    let signature: [UInt8]
    private let payload: [UInt8]

    private struct Header: Decodable {
        var alg: String
        var kid: String?
        /// Extensions that a reader must understand (RFC 7515 §4.1.11). The server supports none.
        var crit: [String]?
    }

    init(_ text: String) throws(OpenIDError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumBytes else { throw .tooLong }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decodeCanonical(utf8: parts[0]),
            let payload = Base64URL.decodeCanonical(utf8: parts[1]),
            let signature = Base64URL.decodeCanonical(utf8: parts[2]),
            let header = try? CheckedJSON.decode(Header.self, from: head)
        else { throw .malformed }
        guard let algorithm = SigningAlgorithm(rawValue: header.alg) else { throw .algorithmNotAllowed }
        guard header.crit == nil else { throw .unsupportedExtension }
        self.algorithm = algorithm
        keyID = header.kid
        signed = bytes[..<parts[1].endIndex]
        self.signature = signature
        self.payload = payload
    }

    /// The claims. They must be read only after the signature was verified.
    func claims() throws(OpenIDError) -> OpenIDClaims {
        guard let claims = try? CheckedJSON.decode(OpenIDClaims.self, from: payload) else { throw .malformed }
        return claims
    }
}
