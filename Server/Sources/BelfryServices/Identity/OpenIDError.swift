import BelfryModel

/// Why an OpenID token proves no contact (ID-3). No message contains any part of the token.
package enum OpenIDError: Error, Hashable, Sendable {
    case notConfigured
    case tooLong
    /// The token does not consist of three parts of base64url, or has no JSON where it should.
    case malformed
    case unsupportedExtension
    case algorithmNotAllowed
    case unknownKey
    /// The key that the token names is for another algorithm.
    case wrongKey
    case badSignature
    case wrongIssuer
    case wrongAudience
    case noExpiry
    case expired
    case notYetValid
    case claimMissing(String)
    /// The claim is present, but not a valid contact key.
    case claimUnusable(String, ValueError)

    package var code: String {
        self == .notConfigured ? "openIDNotConfigured" : "openIDTokenInvalid"
    }

    package var message: String {
        switch self {
        case .notConfigured: "This app does not accept OpenID tokens. Link with contactFieldValue instead."
        case .tooLong: "An OpenID token has at most \(OpenIDToken.maximumBytes) bytes."
        case .malformed: "The OpenID token does not have the form of RFC 7515: three parts of JSON in base64url."
        case .unsupportedExtension: "The OpenID token requires an extension ('crit') that is not supported."
        case .algorithmNotAllowed: "The OpenID token's algorithm is not allowed. It must be \(Self.algorithms)."
        case .unknownKey: "The OpenID token was signed with a key that is not in the app's settings."
        case .wrongKey: "The app's key with the id in the OpenID token is not for the token's algorithm."
        case .badSignature: "The OpenID token's signature is invalid."
        case .wrongIssuer: "The issuer of the OpenID token does not match the app's settings."
        case .wrongAudience: "The audience of the OpenID token does not match the app's settings."
        case .noExpiry: "The OpenID token has no expiry. It needs 'exp', in seconds since 1970."
        case .expired: "The OpenID token has expired."
        case .notYetValid: "The OpenID token is not valid yet. Check 'nbf' and 'iat', and the clocks."
        case .claimMissing(let claim): "The OpenID token has no claim '\(claim)' with a text or a whole number."
        case .claimUnusable(let claim, let error): "The OpenID token's claim '\(claim)': \(error.message)"
        }
    }

    private static let algorithms = SigningAlgorithm.allCases.map(\.rawValue).joined(separator: " or ")
}
