import BelfryModel
import BelfryServerModel

/// What an identity provider may sign with (RFC 7518 §3.1): these, and never `none` or a shared secret (ID-3).
enum SigningAlgorithm: String, Hashable, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

extension JSONWebKey {
    /// The allowed algorithm whose signatures the key checks; nil when it serves something else.
    var signingAlgorithm: SigningAlgorithm? {
        let algorithm: SigningAlgorithm
        switch (kty, crv ?? "") {
        case ("RSA", _): algorithm = .rs256
        case ("EC", "P-256"): algorithm = .es256
        default: return nil
        }
        guard (use ?? "sig") == "sig", (alg ?? algorithm.rawValue) == algorithm.rawValue else { return nil }
        return algorithm
    }
}
