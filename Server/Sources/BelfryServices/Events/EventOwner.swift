import BelfryStore

/// The contact to which an event belongs (ID-7).
enum EventOwner: Hashable, Sendable {
    /// The event names nobody, so it belongs to the contact that its device has now.
    case current
    case contact(Int64)
    /// The event's reference was not issued to this installation. It did not mean the contact that the device has now.
    case nobody

    func contactID(of link: DeviceLink) -> Int64? {
        switch self {
        case .current: link.contact
        case .contact(let id): id
        case .nobody: nil
        }
    }
}

/// The owner that an event names, before its device's row is read.
enum NamedOwner: Hashable, Sendable {
    case current
    case reference(ContactReference)
    case nobody

    /// The owner, given the device's link. A reference that was issued to an earlier installation of the row names
    /// nobody any more (SEC-10).
    func owner(on link: DeviceLink) -> EventOwner {
        switch self {
        case .current: .current
        case .reference(let reference) where reference.epoch == link.epoch: .contact(reference.contact)
        case .reference, .nobody: .nobody
        }
    }
}

/// Finds out which of the people whom an upload names still exist. Each is looked up once.
struct ExistingPeople {
    private let link: DeviceLink
    private var survivors: [Int64: Int64?] = [:]

    init(of link: DeviceLink) {
        self.link = link
    }

    /// The present owner of what the named owner tracked: the history of an anonymous contact may have been merged into
    /// another contact (ID-8), or what this device has of it may be on its way to one (SEC-9). Nil for a person who was
    /// erased (REG-36). The device's own contact exists and needs no lookup.
    mutating func find(_ owner: EventOwner, _ connection: any SQLConnection) throws -> EventOwner? {
        guard case .contact(let id) = owner, id != link.contact else { return owner }
        if let known = survivors[id] { return known.map(EventOwner.contact) }
        let found = try present(id, connection)
        survivors[id] = .some(found)
        return found.map(EventOwner.contact)
    }

    private func present(_ contact: Int64, _ connection: any SQLConnection) throws -> Int64? {
        guard let survivor = try connection.contacts.surviving(contact), try exists(survivor, connection) else {
            return nil
        }
        guard survivor != link.contact else { return survivor }
        guard let owner = try connection.eventMoves.destination(of: link.id, from: survivor),
            try exists(owner, connection)
        else { return nil }
        return owner
    }

    /// A contact that is being erased in steps counts as erased: the step for this device may be over.
    private func exists(_ contact: Int64, _ connection: any SQLConnection) throws -> Bool {
        try contact == link.contact || !connection.erasures.isUnderWay(of: contact)
    }
}
