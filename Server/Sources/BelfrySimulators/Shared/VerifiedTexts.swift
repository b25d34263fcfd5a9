import Synchronization

/// What was found in signed texts that were good: each is verified once, whatever the number of connections that use it.
final class VerifiedTexts<Content: Sendable>: Sendable {
    /// Texts that are remembered; when there are more, all are forgotten and verified again.
    static var limit: Int { 1_000 }

    private let known = Mutex<[String: Content]>([:])

    /// What `text` holds, if `verify` finds it good.
    func content<Refusal: Error>(of text: String, verify: (String) throws(Refusal) -> Content) throws(Refusal)
        -> Content
    {
        if let content = known.withLock({ $0[text] }) { return content }
        // A signature takes long to check, so the lock is not held for it.
        let content = try verify(text)
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[text] = content
        }
        return content
    }
}
