import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

extension InboxService {
    /// One message, by its own id, or by the id of the push to this device that came with it. A message that arrived
    /// while nobody was logged in is found after a login, too, though no list shows it then (MC-15).
    package func message(
        _ raw: String, for caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<InboxMessage> {
        let now = environment.now()
        let (link, message) = try await database.read(for: caller) { connection, link in
            let found =
                try Self.messageOfPush(raw, to: caller.client, link, in: connection)
                ?? Self.message(raw, of: link, in: connection)
            try found.rejectIfHidden(raw, app: link.app, now: now, in: connection)
            return InboxMessage(found.row, of: MessageOwner(contact: found.holder))
        }
        return answer(message, to: caller, link)
    }

    /// The rich content of a message. It can be fetched again until the device confirms that it has stored it (MC-9,
    /// WIRE-11).
    package func richContent(
        of raw: String, for caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<(id: MessageID, html: String)> {
        let now = environment.now()
        let (link, content) = try await database.read(for: caller) { connection, link in
            let found = try Self.message(raw, of: link, in: connection)
            let campaign = found.row.campaign
            guard let html = try connection.centerMessages.richHTML(contact: found.holder, campaign: campaign) else {
                throw ServiceError.unknownMessage(raw)
            }
            try found.rejectIfHidden(raw, app: link.app, now: now, in: connection)
            let isStored = try connection.richConfirmations.contains(
                contact: found.holder, campaign: campaign, device: link.id
            )
            guard !isStored else { throw ServiceError.servedAlready }
            return (id: found.id, html: html)
        }
        return answer(content, to: caller, link)
    }

    /// Notes that the device has stored the rich content of a message, or no longer has it (WIRE-11). The call may be
    /// repeated.
    package func setRichContent(
        isStored: Bool, of raw: String, for caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<Void> {
        let now = environment.now()
        let link = try await database.write { connection in
            let link = try CallerLookup(connection: connection).link(of: caller)
            let found = try Self.message(raw, of: link, in: connection)
            try connection.hold { [link.contact, found.contact] }
            let (holder, campaign) = (found.holder, found.row.campaign)
            guard try connection.centerMessages.richHTML(contact: holder, campaign: campaign) != nil else {
                throw ServiceError.unknownMessage(raw)
            }
            if isStored {
                try connection.richConfirmations.insert(
                    contact: holder, campaign: campaign, device: link.id, now: now
                )
            } else {
                try connection.richConfirmations.delete(contact: holder, campaign: campaign, device: link.id)
            }
            return link
        }
        return answer((), to: caller, link)
    }

    /// Merges the message state of one device with that of the others: deleted wins over read, read over unread
    /// (MC-14).
    ///
    /// - Parameter reference: the reference of the message's contact, as in events (ID-7). Nil: the device's own
    ///   contact.
    package func setState(
        _ state: MessageState, of raw: String, reference: String?, for caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<Void> {
        guard state != .unread else {
            throw ServiceError.invalid(
                "state", "invalidMessageState", "A message can become read or deleted, but not unread."
            )
        }
        let now = environment.now()
        // Messages never move to another contact (ID-8), so only the contact of the reference counts. Messages of the
        // installation belong to every person who uses it.
        let named = references.named(reference, device: caller.device, keys: keys)
        let link = try await database.write { connection in
            let link = try CallerLookup(connection: connection).link(of: caller)
            let found = try Self.message(
                raw, of: [named.owner(on: link).contactID(of: link), MessageHolder.installation(link.id).number],
                on: link.id, in: connection
            )
            try connection.hold { [link.contact, found.contact] }
            // A state that is stored already needs no write.
            if found.row.state.joined(state) != found.row.state {
                _ = try connection.centerMessages.setState(
                    state, contact: found.holder, campaign: found.row.campaign, at: now
                )
            }
            return link
        }
        return answer((), to: caller, link)
    }

    /// A message and the number of its holder.
    private struct Found {
        let id: MessageID
        let holder: Int64
        let row: MessageCenterMessageRow

        /// The contact that has it. Nil for a message of the installation.
        var contact: Int64? {
            if case .contact(let id) = MessageHolder(number: holder) { id } else { nil }
        }

        /// Throws for a message that has expired, was deleted, or is in a disabled center.
        func rejectIfHidden(_ raw: String, app: Int64, now: Date, in connection: any SQLConnection) throws {
            guard row.isShown(at: now), let center = try connection.messageCenters.find(app: app, row.center) else {
                throw ServiceError.unknownMessage(raw)
            }
            try center.rejectIfDisabled()
        }
    }

    /// The message with this id that the device's contact or its installation has.
    private static func message(
        _ raw: String, of link: DeviceLink, in connection: any SQLConnection
    ) throws -> Found {
        let holder = try MessageHolders(connection: connection).holder(of: link).number
        return try message(
            raw, of: [holder, MessageHolder.installation(link.id).number], on: link.id, in: connection
        )
    }

    /// The message with this id, if one of these holders has it. The id is derived from campaign and holder, so nobody
    /// finds another's message.
    private static func message(
        _ raw: String, of holders: [Int64?], on device: Int64, in connection: any SQLConnection
    ) throws -> Found {
        guard let id = MessageID(raw), let campaign = id.campaign else { throw ServiceError.unknownMessage(raw) }
        for holder in holders.compactMap(\.self) {
            let found = try find(id, of: campaign, holder: holder, on: device, in: connection)
            if let found { return found }
        }
        throw ServiceError.unknownMessage(raw)
    }

    /// The message of this holder. If an operator has merged contacts, ids and references of the former contact lead to
    /// the other one (ADM-5).
    private static func find(
        _ id: MessageID, of campaign: CampaignID, holder: Int64, on device: Int64, in connection: any SQLConnection
    ) throws -> Found? {
        let isOwn = id == .make(campaign: campaign, contact: holder)
        if isOwn, let row = try connection.centerMessages.find(contact: holder, campaign: campaign) {
            return Found(id: id, holder: holder, row: row)
        }
        guard case .contact(let contact) = MessageHolder(number: holder) else { return nil }
        let owner =
            try isOwn
            ? connection.contacts.heir(of: contact)
            : isOfPart(id, of: campaign, contact: contact, on: device, in: connection) ? contact : nil
        guard let owner, let row = try connection.centerMessages.find(contact: owner, campaign: campaign) else {
            return nil
        }
        return Found(id: id, holder: owner, row: row)
    }

    /// The most merged contacts that are searched for the one of a message.
    private static let maximumParts = 1_000

    /// Whether an id was made for a known contact that was merged into this one. Contacts that the device itself has
    /// had are tried first, because it has the id from one of them. Of the others only a limited number is tried: any
    /// number may have been merged.
    private static func isOfPart(
        _ id: MessageID, of campaign: CampaignID, contact: Int64, on device: Int64, in connection: any SQLConnection
    ) throws -> Bool {
        func isMadeFor(_ part: Int64) -> Bool { id == MessageID.make(campaign: campaign, contact: part) }
        if try connection.contactLinks.known(ofDevice: device, mergedInto: contact).contains(where: isMadeFor) {
            return true
        }
        return try connection.contactParts.known(among: maximumParts, mergedInto: contact).contains(where: isMadeFor)
    }

    /// The message that came with a push to this device: the present contact's, otherwise the installation's. Nil when
    /// the id is not that of a push.
    private static func messageOfPush(
        _ raw: String, to client: DeviceID, _ link: DeviceLink, in connection: any SQLConnection
    ) throws -> Found? {
        guard let id = MessageID(raw), let campaign = id.campaign, id == .make(campaign: campaign, device: client)
        else {
            return nil
        }
        let own = try MessageHolders(connection: connection).holder(of: link).number
        for holder in [own, MessageHolder.installation(link.id).number] {
            guard let row = try connection.centerMessages.find(contact: holder, campaign: campaign) else { continue }
            return Found(id: .make(campaign: campaign, contact: holder), holder: holder, row: row)
        }
        throw ServiceError.unknownMessage(raw)
    }
}

extension ServiceError {
    fileprivate static func unknownMessage(_ raw: String) -> ServiceError {
        .notFound(what: "message", id: String(raw.prefix(64)), code: "unknownMessage")
    }

    fileprivate static let servedAlready = ServiceError.gone(
        code: "richContentAlreadyServed",
        message:
            "The device has confirmed that it has stored the rich content. Withdraw the confirmation to get it again."
    )
}
