import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// The messages that a device shows: its contact's, or the installation's own while nobody is logged in (WIRE-10,
/// WIRE-11, WIRE-13, WIRE-15, MC-15).
package struct InboxService: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    private let states = SignedStates()
    /// Fetches that wait at the same time are made together.
    private let fetches = JointCall { try CenterFetch.messages($0, in: $1) }
    let references = KnownReferences()

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment) {
        self.database = database
        self.keys = keys
        self.environment = environment
    }

    /// Every enabled center with its newest messages, including empty centers (MC-5).
    package func centers(for caller: AuthenticatedCaller) async throws -> DeviceCallResult<Inbox> {
        let (link, inbox) = try await database.read(for: caller, inbox(of: caller.app))
        return answer(inbox, to: caller, link)
    }

    /// Fetches all centers without making the caller wait: `completion` is called on a reader's thread. It gets nil
    /// when the store must be written first, and when the messages are long: fetches that wait together are read
    /// together, so long ones are read separately (SEC-2).
    package func centers(
        for caller: AuthenticatedCaller,
        completion: @escaping @Sendable (Result<DeviceCallResult<Inbox>?, any Error>) -> Void
    ) {
        database.readOnly(for: caller, shortInbox(of: caller.app)) { [self] result in
            completion(
                result.map { found -> DeviceCallResult<Inbox>? in
                    guard let found, let inbox = found.value else { return nil }
                    return answer(inbox, to: caller, found.link)
                }
            )
        }
    }

    /// The newest messages of one center.
    package func messages(in raw: String, for caller: AuthenticatedCaller) async throws -> DeviceCallResult<
        [InboxMessage]
    > {
        let fetch = CenterFetch(center: raw, caller: caller, now: environment.now())
        if let found = try await database.read({ [fetches] in try fetches.run(fetch, in: $0) }) {
            return answer(found.messages, to: caller, found.link)
        }
        let found = try await database.write { [fetches] connection in
            _ = try CallerLookup(connection: connection).link(of: caller)
            return try fetches.run(fetch, in: connection)
        }
        guard let found else { throw StoreError.corrupted(table: "devices", key: String(caller.device)) }
        return answer(found.messages, to: caller, found.link)
    }

    /// Fetches one center without making the caller wait: `completion` is called as in ``centers(for:completion:)``.
    package func messages(
        in raw: String, for caller: AuthenticatedCaller,
        completion: @escaping @Sendable (Result<DeviceCallResult<[InboxMessage]>?, any Error>) -> Void
    ) {
        let fetch = CenterFetch(center: raw, caller: caller, now: environment.now())
        database.read(fetch, of: fetches) { [self] result in
            completion(result.map { found in found.map { answer($0.messages, to: caller, $0.link) } })
        }
    }

    private func inbox(of app: AppRecord) -> CallerRead<Inbox> {
        let now = environment.now()
        let maximum = app.settings.maximumBadge
        return { connection, link in
            let reading = try InboxReading(link, in: connection)
            let rows = try connection.centerMessages.newestByCenter(
                contact: reading.holder, in: reading.enabled.map(\.name), now: now,
                perCenter: MessageCenterLimits.messagesPerCenter
            )
            return try reading.inbox(rows, maximumBadge: maximum)
        }
    }

    /// Reads the inbox. The result is nil if a message is long.
    private func shortInbox(of app: AppRecord) -> CallerRead<Inbox?> {
        let now = environment.now()
        let maximum = app.settings.maximumBadge
        return { connection, link in
            let reading = try InboxReading(link, in: connection)
            let rows = try connection.centerMessages.newestByCenterTogether(
                contact: reading.holder, in: reading.enabled.map(\.name), now: now,
                perCenter: MessageCenterLimits.messagesPerCenter
            )
            return try rows.map { try reading.inbox($0, maximumBadge: maximum) }
        }
    }

    /// The newest messages of all enabled centers, as the inbox of version 3 lists them (WIRE-13).
    package func newest(for caller: AuthenticatedCaller) async throws -> DeviceCallResult<[InboxMessage]> {
        let now = environment.now()
        let (link, messages) = try await database.read(for: caller) { connection, link in
            let holder = try MessageHolders(connection: connection).holder(of: link).number
            let rows = try connection.centerMessages.newestOfAll(
                contact: holder, in: connection.messageCenters.enabled(app: link.app).map(\.name), now: now,
                limit: MessageCenterLimits.inboxMessages
            )
            let owner = MessageOwner(contact: holder)
            return rows.map { InboxMessage($0, of: owner) }
        }
        return answer(messages, to: caller, link)
    }

    func answer<Value: Sendable>(
        _ value: Value, to caller: AuthenticatedCaller, _ link: DeviceLink
    ) -> DeviceCallResult<Value> {
        let state = states.state(of: link, client: caller.client, keys: keys)
        return DeviceCallResult(value: value, clientState: state)
    }
}

/// A device whose inbox is read, and the app's centers.
private struct InboxReading {
    /// The number of the device's ``MessageHolder``.
    let holder: Int64
    let enabled: [MessageCenter]
    private let disabled: [MessageCenter]
    private let link: DeviceLink
    private let connection: any SQLConnection

    init(_ link: DeviceLink, in connection: any SQLConnection) throws {
        self.link = link
        self.connection = connection
        holder = try MessageHolders(connection: connection).holder(of: link).number
        let centers = try connection.messageCenters.all(app: link.app)
        enabled = centers.filter(\.isEnabled)
        disabled = centers.filter { !$0.isEnabled }
    }

    func inbox(_ rows: [MessageCenterName: [MessageCenterMessageRow]], maximumBadge: Int) throws -> Inbox {
        let owner = MessageOwner(contact: holder)
        let centers = enabled.map { center in
            let messages = (rows[center.name] ?? []).map { InboxMessage($0, of: owner) }
            return InboxMessageCenter(name: center.name, label: center.label, messages: messages)
        }
        return Inbox(
            centers: centers, disabled: disabled.map(\.name),
            badge: try connection.badges.find(device: link.id, maximum: maximumBadge),
            registration: try connection.registrations.result(for: link)
        )
    }
}

extension DeviceLink {
    /// The contact to which the device is linked. Throws if there is none.
    var owner: Int64 {
        get throws(ServiceError) {
            guard let contact else {
                throw .unauthorized(
                    code: "contactTokenInvalid", message: "The device is no longer linked to a contact. Link it again."
                )
            }
            return contact
        }
    }
}

extension MessageCenter {
    func rejectIfDisabled() throws(ServiceError) {
        guard isEnabled else {
            throw .forbidden(code: "messageCenterDisabled", message: "The message center '\(name)' is disabled.")
        }
    }
}
