import Foundation

/// The consequences of a change of person for the contact on the server (ID-4).
extension LinkRules {
    /// The next link changes the person to whom the server has the device linked.
    public var leavesPerson: Bool {
        guard let linked, let next = nextContact else { return false }
        return linked.person != next.person
    }

    /// Whether this is an anonymous link for another person than before. Otherwise the server would return the device's
    /// own anonymous contact again, with the previous person's data.
    public func needsFreshContact(_ link: PendingLink) -> Bool {
        guard let linked, !link.target.isKnown else { return false }
        return linked.person != link.person
    }

    /// The server refuses an anonymous contact for the device, so there it still belongs to the former person
    /// (WIRE-22).
    public func isStranded(now: Date) -> Bool {
        guard leavesPerson, let next = nextContact, !next.target.isKnown else { return false }
        return linkGate.isRefused(StableDigest(link: next), now: now)
    }

    /// The decision about the events of each owner.
    ///
    /// - Parameter holdsPresent: events of the present owner wait until a contact key is set (REG-12).
    public func eventOwners(holdsPresent: Bool) -> EventOwners {
        EventOwners(references: references, present: owner, holdsPresent: holdsPresent)
    }
}

/// A re-installed app takes its anonymous contact back (REG-23).
extension LinkRules {
    /// A silent push brought a nonce. Only a device that has no contact but its anonymous one sends it back.
    ///
    /// - Parameter tag: the recipient tag of the push: a nonce for another person is not sent.
    /// - Returns: whether it will be sent.
    public mutating func receivedNonce(_ nonce: String, for tag: String?) -> Bool {
        guard !nonce.isEmpty, pending.isEmpty, tokens != nil, let linked, linked.target == .anonymous,
            let tag, tag == references[linked.owner].flatMap(RecipientTags.tag(of:))
        else { return false }
        offerTakeover(PendingLink(owner: linked.owner, target: .anonymous, person: linked.person, nonce: nonce))
        return true
    }
}
