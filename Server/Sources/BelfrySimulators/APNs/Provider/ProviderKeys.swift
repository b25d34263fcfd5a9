import Synchronization

/// The registered keys, and the tokens found valid: each token is verified once, whatever the number of connections
/// that use it.
final class ProviderKeys: Sendable {
    /// The maximum number of keys.
    static let limit = 1_000
    /// The maximum number of remembered tokens; beyond it, all are forgotten and verified again.
    static let rememberedTokens = 1_000

    private struct State: Sendable {
        var keys: [String: APNsProviderKey] = [:]
        var tokens: [String: ProviderToken] = [:]
    }

    private let state = Mutex(State())

    /// Registers a key; it replaces one with the same key id. False: the limit is reached.
    func register(_ key: APNsProviderKey) -> Bool {
        state.withLock { state in
            guard state.keys.count < Self.limit || state.keys[key.keyID] != nil else { return false }
            state.keys[key.keyID] = key
            state.tokens = [:]
            return true
        }
    }

    /// The token in `text`, if its signature is valid.
    func token(_ text: String) -> ProviderToken? {
        let (known, keys) = state.withLock { ($0.tokens[text], $0.keys) }
        if let known { return known }
        // To check a signature takes long, so the lock is not held meanwhile.
        guard let token = ProviderToken.verify(text, keys: keys) else { return nil }
        state.withLock { state in
            if state.tokens.count >= Self.rememberedTokens { state.tokens = [:] }
            state.tokens[text] = token
        }
        return token
    }
}
