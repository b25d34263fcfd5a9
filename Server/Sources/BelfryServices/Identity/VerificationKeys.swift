import BelfryModel
import BelfryServerModel
import Synchronization

/// Keys of identity providers that were read recently. Reading a key takes as long as checking a signature with it, and
/// a token may need all keys of its provider. A key does not change, so entries need no expiry.
final class VerificationKeys: Sendable {
    /// The highest number of keys, each of a few kilobytes. Beyond it the cache is emptied.
    static let maximumCount = 1_000

    private let keys = Mutex<[JSONWebKey: VerificationKey]>([:])

    /// Nil when the key cannot be read.
    func key(_ raw: JSONWebKey, for algorithm: SigningAlgorithm) -> VerificationKey? {
        if let known = keys.withLock({ $0[raw] }) { return known }
        guard let key = try? VerificationKey(raw, for: algorithm) else { return nil }
        keys.withLock { keys in
            if keys.count >= Self.maximumCount { keys = [:] }
            keys[raw] = key
        }
        return key
    }

    /// The number of cached keys.
    var count: Int { keys.withLock { $0.count } }
}

/// The algorithms with which an identity provider may sign (RFC 7518 §3.1), never `none` or a shared secret (ID-3).
enum SigningAlgorithm: String, Hashable, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

extension JSONWebKey {
    /// The allowed algorithm whose signatures the key checks. Nil when the key has another purpose.
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
