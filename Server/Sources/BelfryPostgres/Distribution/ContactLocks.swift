import BelfryStore

/// Whom a connection holds for the writes of its next transaction (FLEET-5, `Docs/Decisions/0009-citus.md`). A write names
/// them in the transaction, and it runs again with those that it does not hold yet.
struct ContactLocks {
    /// The most contacts that have a lock each. A server has room for so many locks of all connections together; who needs
    /// more waits until nobody holds anybody.
    static let maximumCount = 500

    /// What was taken and has to be given back.
    private(set) var taken: ArraySlice<ContactLock> = []
    private var held: Set<Int64> = []
    /// Contacts that the transaction has made: nobody else can know them before it is over.
    private var made: Set<Int64> = []
    /// Those whom the transaction needs and does not hold.
    private(set) var missing: Set<Int64> = []

    mutating func beginTransaction() {
        made = []
        missing = []
    }

    mutating func make(_ contacts: Set<Int64>) {
        made.formUnion(contacts)
    }

    mutating func need(_ contacts: Set<Int64>) {
        missing.formUnion(contacts.subtracting(held).subtracting(made))
    }

    /// - Throws: ``ContactsNotHeld`` once a contact is missing: what the transaction has read may have been changed since,
    ///   together with rows on other servers.
    func check() throws {
        if !missing.isEmpty { throw ContactsNotHeld(contacts: missing) }
    }

    /// - Parameter contacts: those that are held now; none if a lock did not come.
    mutating func take(_ locks: ArraySlice<ContactLock>, of contacts: Set<Int64>) {
        taken = locks
        held = contacts
    }

    mutating func giveBack() {
        taken = []
        held = []
    }
}

/// A lock of a session, in this database and schema alone. The server counts the bytes of the schema's name into it.
enum ContactLock: Hashable {
    /// Of whoever holds any contact: together with the others, or alone.
    case all(isShared: Bool)
    case contact(Int64)

    /// The locks of some contacts, in the order in which everybody takes them, so that no two wait for each other.
    static func locks(of contacts: Set<Int64>) -> [ContactLock] {
        guard contacts.count <= ContactLocks.maximumCount else { return [.all(isShared: false)] }
        return [.all(isShared: true)] + contacts.sorted().map(ContactLock.contact)
    }

    private static let whole: SQLText = "hashtext('belfry contacts'), hashtext(current_schema())"
    private static let one: SQLText = "hashtextextended(current_schema(), ?)"

    var taking: PostgresCall {
        get throws {
            switch self {
            case .all(isShared: true): PostgresCall("SELECT pg_advisory_lock_shared(\(Self.whole))")
            case .all(isShared: false): PostgresCall("SELECT pg_advisory_lock(\(Self.whole))")
            case .contact(let id): try PostgresCall("SELECT pg_advisory_lock(\(Self.one))", [.integer(id)])
            }
        }
    }

    var givingBack: PostgresCall {
        get throws {
            switch self {
            case .all(isShared: true): PostgresCall("SELECT pg_advisory_unlock_shared(\(Self.whole))")
            case .all(isShared: false): PostgresCall("SELECT pg_advisory_unlock(\(Self.whole))")
            case .contact(let id): try PostgresCall("SELECT pg_advisory_unlock(\(Self.one))", [.integer(id)])
            }
        }
    }
}

/// A transaction needs contacts that it does not hold. It is undone, and runs again with them.
struct ContactsNotHeld: Error {
    let contacts: Set<Int64>
}

extension PostgresLink {
    /// Takes the locks of contacts before a transaction, in one round trip, and waits for those who have them.
    func hold(_ contacts: Set<Int64>) throws {
        let locks = ContactLock.locks(of: contacts)
        let calls = try locks.map { try $0.taking }
        var count = 0
        // The server keeps those that came before one that did not.
        defer { self.locks.take(locks.prefix(count), of: count == locks.count ? contacts : []) }
        try exchange(calls) { _ in count += 1 }
    }

    /// Gives back what ``hold(_:)`` has taken, after the transaction. A lost connection has nothing any more.
    func giveBack() throws {
        let calls = try locks.taken.map { try $0.givingBack }
        locks.giveBack()
        guard isOpen, !calls.isEmpty else { return }
        try exchange(calls)
    }
}
