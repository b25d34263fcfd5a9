import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

extension InboxService {
    /// The rich content of a message, once for each device; whoever has lost the answer asks again with the same key
    /// (MC-9, WIRE-11).
    ///
    /// - Parameter key: names this request, for 24 hours.
    package func richContent(
        of raw: String, key: String, for caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<(id: MessageID, html: String)> {
        let now = environment.now()
        let (link, content) = try await database.write { connection in
            let link = try CallerLookup(connection: connection).link(of: caller)
            let contact = try link.owner
            let message = try Self.message(raw, of: contact, in: connection)
            guard message.row.isShown(at: now),
                let center = try connection.messageCenters.find(app: link.app, message.row.center),
                let html = try connection.centerMessages.richHTML(
                    contact: message.contact, campaign: message.row.campaign
                )
            else { throw ServiceError.unknownMessage(raw) }
            try center.refuseIfDisabled()
            let serving = try connection.richServings.serve(
                contact: message.contact, campaign: message.row.campaign, device: link.id, key: key, now: now
            )
            guard serving != .refused else { throw ServiceError.servedAlready }
            return (link, (id: message.id, html: html))
        }
        return answer(content, to: caller, link)
    }

    /// Joins what a device did with a message to what the others did: deleted goes over read, read over unread (MC-14).
    ///
    /// - Parameter reference: whose message it was, as events have it (ID-7); absent: the device's own contact.
    package func setState(
        _ state: MessageState, of raw: String, reference: String?, for caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<Void> {
        guard state != .unread else {
            throw ServiceError.invalid(
                "state", "invalidMessageState", "A message can become read or deleted, but not unread."
            )
        }
        let now = environment.now()
        // Messages never merge into another contact (ID-8): whom the reference names, and nobody else.
        let named = references.named(reference, device: caller.device, keys: keys)
        let link = try await database.write { connection in
            let link = try CallerLookup(connection: connection).link(of: caller)
            guard let contact = named.owner(on: link).contactID(of: link) else {
                throw ServiceError.unknownMessage(raw)
            }
            let message = try Self.message(raw, of: contact, in: connection)
            // Said before, it is no write.
            if message.row.state.joined(state) != message.row.state {
                _ = try connection.centerMessages.setState(
                    state, contact: message.contact, campaign: message.row.campaign, at: now
                )
            }
            return link
        }
        return answer((), to: caller, link)
    }

    /// The message with this id, if it is the contact's: the id is made of both, so nobody finds another's. Where an
    /// operator has merged contacts, ids and references of the former one lead to the other (ADM-5).
    private static func message(
        _ raw: String, of contact: Int64, in connection: any SQLConnection
    ) throws -> (id: MessageID, contact: Int64, row: MessageCenterMessageRow) {
        guard let id = MessageID(raw), let campaign = id.campaign else { throw ServiceError.unknownMessage(raw) }
        let isOwn = id == MessageID.make(campaign: campaign, contact: contact)
        if isOwn, let row = try connection.centerMessages.find(contact: contact, campaign: campaign) {
            return (id, contact, row)
        }
        let owner =
            try isOwn
            ? connection.contacts.heir(of: contact)
            : connection.contacts.known(mergedInto: contact)
                .contains { id == MessageID.make(campaign: campaign, contact: $0) } ? contact : nil
        guard let owner, let row = try connection.centerMessages.find(contact: owner, campaign: campaign) else {
            throw ServiceError.unknownMessage(raw)
        }
        return (id, owner, row)
    }
}

extension MessageCenterMessageRow {
    /// Whether a device is shown the message.
    fileprivate func isShown(at now: Date) -> Bool {
        state != .deleted && expiresAt.map { $0 > now } ?? true
    }
}

extension ServiceError {
    fileprivate static func unknownMessage(_ raw: String) -> ServiceError {
        .notFound(what: "message", id: String(raw.prefix(64)), code: "unknownMessage")
    }

    fileprivate static let servedAlready = ServiceError.gone(
        code: "richContentAlreadyServed",
        message: "The rich content was already served to this device; only the same Idempotency-Key gets it again."
    )
}
