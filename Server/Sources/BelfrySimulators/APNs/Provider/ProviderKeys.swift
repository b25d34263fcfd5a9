import Synchronization

/// The keys that are known, and the tokens that were found good: each token is verified once, whatever the number of
/// connections that use it.
final class ProviderKeys: Sendable {
    /// Keys that may be registered.
    static let limit = 1_000
    /// Tokens that are remembered; when there are more, all are forgotten and verified again.
    static let rememberedTokens = 1_000

    private struct State: Sendable {
        var keys: [String: APNsProviderKey] = [:]
        var tokens: [String: ProviderToken] = [:]
    }

    private let state = Mutex(State())

    /// Takes a key; one with the same key id is replaced. False: the limit is reached.
    func register(_ key: APNsProviderKey) -> Bool {
        state.withLock { state in
            guard state.keys.count < Self.limit || state.keys[key.keyID] != nil else { return false }
            state.keys[key.keyID] = key
            state.tokens = [:]
            return true
        }
    }

    /// The token that `text` holds, if its signature is good.
    func token(_ text: String) -> ProviderToken? {
        let (known, keys) = state.withLock { ($0.tokens[text], $0.keys) }
        if let known { return known }
        // A signature takes long to check, so the lock is not held for it.
        guard let token = ProviderToken.verify(text, keys: keys) else { return nil }
        state.withLock { state in
            if state.tokens.count >= Self.rememberedTokens { state.tokens = [:] }
            state.tokens[text] = token
        }
        return token
    }
}
