import BelfryModel

/// Why an OpenID token proves no contact (ID-3). No message repeats anything of the token.
package enum OpenIDFault: Error, Hashable, Sendable {
    case notConfigured
    case tooLong
    /// Not three parts of base64url, or no JSON where it should be.
    case malformed
    case unsupportedExtension
    case algorithmNotAllowed
    case unknownKey
    /// The key that the token names serves another algorithm.
    case wrongKey
    case badSignature
    case wrongIssuer
    case wrongAudience
    case noExpiry
    case expired
    case notYetValid
    case claimMissing(String)
    /// It is there, and is no contact key.
    case claimUnusable(String, Refusal)

    package var code: String {
        self == .notConfigured ? "openIDNotConfigured" : "openIDTokenInvalid"
    }

    package var message: String {
        switch self {
        case .notConfigured: "This app takes no OpenID tokens: link with contactFieldValue instead."
        case .tooLong: "An OpenID token has at most \(OpenIDToken.maximumBytes) bytes."
        case .malformed: "The OpenID token is not of the form that RFC 7515 gives: three parts of base64url, of JSON."
        case .unsupportedExtension: "The OpenID token asks for an extension ('crit') that is not supported."
        case .algorithmNotAllowed: "The OpenID token's algorithm is not allowed: it is \(Self.algorithms)."
        case .unknownKey: "The OpenID token names a key that the app's settings do not have."
        case .wrongKey: "The app has no key for the OpenID token's algorithm under the name that the token gives."
        case .badSignature: "The OpenID token's signature is not right."
        case .wrongIssuer: "The OpenID token is of another issuer than the app's settings name."
        case .wrongAudience: "The OpenID token is for another audience than the app's settings name."
        case .noExpiry: "The OpenID token has no expiry: it needs 'exp', in seconds since 1970."
        case .expired: "The OpenID token has expired."
        case .notYetValid: "The OpenID token is not valid yet: check 'nbf' and 'iat', and the clocks."
        case .claimMissing(let claim): "The OpenID token has no claim '\(claim)', which is a text or a whole number."
        case .claimUnusable(let claim, let refusal): "The OpenID token's claim '\(claim)': \(refusal.message)"
        }
    }

    private static let algorithms = SigningAlgorithm.allCases.map(\.rawValue).joined(separator: " or ")
}
