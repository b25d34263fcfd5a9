import Foundation

/// A re-installed app takes its anonymous contact back (REG-23).
extension LinkRules {
    /// A silent push brought a nonce. Only a device that has nobody but its anonymous contact sends it back.
    ///
    /// - Parameter tag: the recipient tag of the push: a nonce for somebody else is not sent.
    /// - Returns: whether it will be sent.
    public mutating func receivedNonce(_ nonce: String, for tag: String?) -> Bool {
        guard !nonce.isEmpty, pending.isEmpty, tokens != nil, let linked, linked.target == .anonymous,
            let tag, tag == references[linked.owner].flatMap(RecipientTags.tag(of:))
        else { return false }
        offerTakeover(PendingLink(owner: linked.owner, target: .anonymous, person: linked.person, nonce: nonce))
        return true
    }
}
