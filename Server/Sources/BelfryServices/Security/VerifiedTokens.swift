import Synchronization

/// Contact tokens whose signature was found right a moment ago: a device shows the same one with each call, for hours.
/// Whether it has expired, and whose call it is, is asked each time.
final class VerifiedTokens: Sendable {
    /// Some hundred bytes each; beyond them the memory starts anew.
    static let maximumCount = 16_384

    private let tokens = Mutex<[String: ContactToken]>([:])

    func find(_ text: String) -> ContactToken? {
        tokens.withLock { $0[text] }
    }

    func insert(_ token: ContactToken, as text: String) {
        tokens.withLock { tokens in
            if tokens.count >= Self.maximumCount { tokens = [:] }
            tokens[text] = token
        }
    }
}
