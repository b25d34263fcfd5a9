import Foundation

/// The consequences of a change of person for the contact on the server (ID-4).
extension LinkRules {
    /// The next link changes the person to whom the server has the device linked.
    public var leavesPerson: Bool {
        guard let linked, let first = pending.first else { return false }
        return linked.person != first.person
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
        guard leavesPerson, let first = pending.first, !first.target.isKnown else { return false }
        return linkGate.isRefused(StableDigest(link: first), now: now)
    }

    /// What happens to the events of each owner.
    ///
    /// - Parameter holdsPresent: events of the present owner wait until a contact key is set (REG-12).
    public func eventOwners(holdsPresent: Bool) -> EventOwners {
        EventOwners(references: references, present: owner, holdsPresent: holdsPresent)
    }
}
