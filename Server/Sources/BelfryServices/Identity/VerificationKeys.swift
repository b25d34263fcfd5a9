import BelfryModel
import BelfryServerModel
import Synchronization

/// Keys of identity providers that were read a moment ago: to read one takes as long as to check a signature with it,
/// and a token asks for as many as its provider has. What a key says does not change, so they need no end.
final class VerificationKeys: Sendable {
    /// Some kilobytes each; beyond them the memory starts anew.
    static let maximumCount = 1_000

    private let keys = Mutex<[JSONWebKey: VerificationKey]>([:])

    /// Nil when it cannot be read.
    func key(_ raw: JSONWebKey, for algorithm: SigningAlgorithm) -> VerificationKey? {
        if let known = keys.withLock({ $0[raw] }) { return known }
        guard let key = try? VerificationKey(raw, for: algorithm) else { return nil }
        keys.withLock { keys in
            if keys.count >= Self.maximumCount { keys = [:] }
            keys[raw] = key
        }
        return key
    }

    /// How many are remembered.
    var count: Int { keys.withLock { $0.count } }
}

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
