import Synchronization

/// Contact tokens whose signature was found right a moment ago: a device shows the same one with each call, for hours.
/// Whether it has expired, and whose call it is, is asked each time.
final class VerifiedTokens: Sendable {
    /// Some hundred bytes each.
    static let maximumCount = 16_384

    private let tokens = Mutex(RecentMemory<String, ContactToken>(maximumCount: maximumCount))

    func find(_ text: String) -> ContactToken? {
        // A longer one is none, and is not looked for while others wait.
        guard text.utf8.count <= ContactToken.maximumLength else { return nil }
        return tokens.withLock { $0.find(text) }
    }

    func insert(_ token: ContactToken, as text: String) {
        tokens.withLock { $0.insert(token, for: text) }
    }
}
