import Synchronization

/// Contact tokens with a recently verified signature: a device sends the same one with each call, for hours. Its expiry
/// and its link are checked each time.
final class VerifiedTokens: Sendable {
    /// Some hundred bytes per entry.
    static let maximumCount = 16_384

    private let tokens = Mutex(RecentMemory<String, ContactToken>(maximumCount: maximumCount))

    func find(_ text: String) -> ContactToken? {
        // A longer one is invalid, and is not looked up while others wait.
        guard text.utf8.count <= ContactToken.maximumLength else { return nil }
        return tokens.withLock { $0.find(text) }
    }

    func insert(_ token: ContactToken, as text: String) {
        tokens.withLock { $0.insert(token, for: text) }
    }
}
