import Foundation

/// What a change of person means for the contact on the server (ID-4).
extension LinkRules {
    /// The next link takes the device from the person to whom the server has it linked.
    public var leavesPerson: Bool {
        guard let linked, let first = pending.first else { return false }
        return linked.person != first.person
    }

    /// An anonymous link for another person than the one before. The server would give a device its own anonymous
    /// contact again, with all that the one before left on it.
    public func needsFreshContact(_ link: PendingLink) -> Bool {
        guard let linked, !link.target.isKnown else { return false }
        return linked.person != link.person
    }

    /// The server does not have the device anonymous, so there it is still the former person's (WIRE-22).
    public func isStranded(now: Date) -> Bool {
        guard leavesPerson, let first = pending.first, !first.target.isKnown else { return false }
        return linkGate.isRefused(StableDigest(link: first), now: now)
    }

    /// What becomes of the events of each owner.
    ///
    /// - Parameter holdsPresent: those of the present one wait until a contact is named (REG-12).
    public func eventOwners(holdsPresent: Bool) -> EventOwners {
        EventOwners(references: references, present: owner, holdsPresent: holdsPresent)
    }
}
