import BelfryStore

/// Whose an event is (ID-7).
enum EventOwner: Hashable, Sendable {
    /// It names nobody, so it is of the contact that its device has now.
    case current
    case contact(Int64)
    /// Its reference is none of this installation's. Whoever it meant, it was not the contact that the device has now.
    case nobody

    func contactID(of link: DeviceLink) -> Int64? {
        switch self {
        case .current: link.contact
        case .contact(let id): id
        case .nobody: nil
        }
    }
}

/// Whom an event names, before its device's row is looked at.
enum NamedOwner: Hashable, Sendable {
    case current
    case reference(ContactReference)
    case nobody

    /// A reference that was given to an earlier installation of the row names nobody any more (SEC-10).
    func owner(on link: DeviceLink) -> EventOwner {
        switch self {
        case .current: .current
        case .reference(let reference) where reference.epoch == link.epoch: .contact(reference.contact)
        case .reference, .nobody: .nobody
        }
    }
}

/// Who is there by now of those whom an upload names: each is looked for once.
struct ExistingPeople {
    private let link: DeviceLink
    private var survivors: [Int64: Int64?] = [:]

    init(of link: DeviceLink) {
        self.link = link
    }

    /// The owner as it stands by now: what was tracked under an anonymous contact goes where that one's history went
    /// (ID-8). Nil for a person who was erased (REG-36). The device's own contact is there, and costs no look.
    mutating func find(_ owner: EventOwner, _ connection: any SQLConnection) throws -> EventOwner? {
        guard case .contact(let id) = owner, id != link.contact else { return owner }
        if let known = survivors[id] { return known.map(EventOwner.contact) }
        let found = try connection.contacts.surviving(id).flatMap { survivor -> Int64? in
            // Whoever is being erased in steps is not there: the step for this device may have been.
            guard survivor != link.contact, try connection.erasures.isUnderWay(of: survivor) else { return survivor }
            return nil
        }
        survivors[id] = .some(found)
        return found.map(EventOwner.contact)
    }
}
