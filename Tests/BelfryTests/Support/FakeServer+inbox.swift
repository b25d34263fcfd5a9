import BelfryModel
import BelfryWire
import Foundation

@testable import Belfry

/// Message centers, rich content, badges and states (WIRE-10, WIRE-11, WIRE-12, WIRE-15). The responses are spelled out
/// here and not by the types of the wire, so that a mistake in those is found.
extension FakeServer {
    static let fetch = "GET /client/message-centers"
    static let putBadge = "PUT /client/badge"

    static func richContent(of id: String) -> String {
        "GET /client/messages/\(id)/rich-content"
    }

    static func confirmation(of id: String) -> String {
        "PUT /client/messages/\(id)/rich-content/confirmation"
    }

    static func withdrawal(of id: String) -> String {
        "DELETE /client/messages/\(id)/rich-content/confirmation"
    }

    static func putState(of id: String) -> String {
        "PUT /client/messages/\(id)/state"
    }

    // MARK: - What tests script

    /// A campaign keeps a message for a contact; the newest so far, unless it says when it was sent.
    ///
    /// - Returns: its id.
    @discardableResult
    func keep(
        for contact: String,
        html: String? = nil,
        _ change: @Sendable (inout FakeInbox.Message) -> Void = { _ in }
    ) -> String {
        let number = inbox.messages.values.reduce(0) { $0 + $1.count } + 1
        var message = FakeInbox.Message(id: "message-\(number)", sentAt: serverNow, html: html)
        change(&message)
        // While nobody is logged in, it is the installation's.
        let isAnonymous = contact.hasPrefix("anonymous-")
        let client = isAnonymous ? contacts.first { $0.value == contact }?.key : nil
        inbox.keep(message, for: client ?? contact)
        return message.id
    }

    func changeInbox(_ change: @Sendable (inout FakeInbox) -> Void) {
        change(&inbox)
    }

    /// A campaign changes the badge of a device, by its id.
    ///
    /// - Returns: what its push says.
    @discardableResult
    func change(_ change: BadgeChange, of client: String) -> Badge {
        inbox.change(change, of: client)
    }

    private var serverNow: Date {
        clock.now.addingTimeInterval(clockAhead)
    }

    // MARK: - The device API

    func inboxAnswer(to request: Request, of client: String) -> TransportResponse {
        let words = request.name.split(separator: " ")
        let path = words[1].split(separator: "/").map { String($0).removingPercentEncoding ?? "" }
        let contact = FakeInbox.holder(contacts[client] ?? "", client)
        switch (String(words[0]), path.count, path.dropFirst().first, path.last) {
        case ("GET", 2, "message-centers", _):
            return Self.json(200, allCenters(of: contact, client: client))
        case ("GET", 4, "message-centers", "messages"):
            return oneCenter(path[2], of: contact)
        case ("GET", 4, "messages", "rich-content"):
            return richContent(path[2], of: contact, for: client, request: request)
        case ("PUT", 5, "messages", "confirmation"), ("DELETE", 5, "messages", "confirmation"):
            return takeConfirmation(path[2], isStored: words[0] == "PUT", of: contact, for: client)
        case ("GET", 3, "messages", _):
            return oneMessage(path[2], of: contact, for: client)
        case ("PUT", 4, "messages", "state"):
            return takeState(path[2], of: contact, for: client, request: request)
        case ("GET", 2, "badge", _):
            return Self.json(200, inbox.badge(of: client))
        case ("PUT", 2, "badge", _):
            return takeBadge(request, of: client)
        default:
            return Self.error(404, ErrorCode.notFound)
        }
    }

    private func allCenters(of contact: String, client: String) -> AllCenters {
        let names = inbox.centers.filter(\.value).keys.sorted()
        let centers = names.map { name in
            OneCenter(name: name, label: inbox.labels[name], messages: messages(in: name, of: contact))
        }
        let disabled = inbox.centers.filter { !$0.value }.keys.sorted()
        return AllCenters(
            messageCenters: centers, disabled: inbox.isEarlier ? nil : disabled, badge: inbox.badge(of: client),
            registration: result
        )
    }

    private func oneCenter(_ name: String, of contact: String) -> TransportResponse {
        guard let isEnabled = inbox.centers[name] else { return Self.error(404, ErrorCode.unknownMessageCenter) }
        guard isEnabled else { return Self.error(403, ErrorCode.messageCenterDisabled) }
        return Self.json(200, ["messages": messages(in: name, of: contact)])
    }

    private func messages(in center: String, of contact: String) -> [WireMessage] {
        inbox.newest(in: center, of: contact, now: serverNow).map { WireMessage($0) }
    }

    private func richContent(
        _ id: String,
        of contact: String,
        for client: String,
        request: Request
    ) -> TransportResponse {
        guard request.headers[HeaderNames.idempotencyKey]?.isEmpty == false else {
            return Self.error(400, ErrorCode.missingIdempotencyKey)
        }
        guard let message = inbox.message(id, of: contact) ?? inbox.message(id, of: client), message.state != .deleted,
            let html = message.html,
            message.expiresAt.map({ $0 > serverNow }) ?? true
        else { return Self.error(404, ErrorCode.unknownMessage) }
        guard !inbox.isConfirmed(id, by: client) else { return Self.error(410, ErrorCode.richContentAlreadyServed) }
        return Self.json(200, ["id": id, "html": html])
    }

    private func takeConfirmation(
        _ id: String,
        isStored: Bool,
        of contact: String,
        for client: String
    ) -> TransportResponse {
        guard !inbox.isEarlier else { return Self.error(404, ErrorCode.notFound) }
        let message = inbox.message(id, of: contact) ?? inbox.message(id, of: client)
        guard message?.html != nil else { return Self.error(404, ErrorCode.unknownMessage) }
        inbox.confirm(id, isStored: isStored, by: client)
        return TransportResponse(status: 204)
    }

    /// By its id, or by the id of a push with which it was kept: here the two are the same campaign.
    private func oneMessage(_ id: String, of contact: String, for client: String) -> TransportResponse {
        guard !inbox.isEarlier else { return Self.error(404, ErrorCode.notFound) }
        let campaign = MessageID(id)?.campaign
        let found = [contact, client].lazy.compactMap { holder in
            self.inbox.messages[holder]?.first { message in
                message.id == id || (campaign != nil && MessageID(message.id)?.campaign == campaign)
            }
        }.first
        guard let found else { return Self.error(404, ErrorCode.unknownMessage) }
        return Self.json(200, WireMessage(found))
    }

    private func takeState(_ id: String, of contact: String, for client: String, request: Request) -> TransportResponse
    {
        guard let body = try? JSONDecoder().decode(StateWords.self, from: request.body),
            let state = MessageState(rawValue: body.state), state != .unread
        else { return Self.error(400, ErrorCode.invalidBody) }
        // A reference that it cannot read names nobody.
        let owner = body.contact.map { references[$0] ?? "none" } ?? contact
        guard inbox.join(state, id: id, of: owner) || inbox.join(state, id: id, of: client) else {
            return Self.error(404, ErrorCode.unknownMessage)
        }
        return TransportResponse(status: 204)
    }

    private func takeBadge(_ request: Request, of client: String) -> TransportResponse {
        guard let body = try? JSONDecoder().decode(BadgeWords.self, from: request.body) else {
            return Self.error(400, ErrorCode.invalidBody)
        }
        guard body.count >= 0 else { return Self.error(400, ErrorCode.invalidBadge) }
        return Self.json(200, inbox.set(body.count, revision: body.revision, of: client))
    }
}

private struct StateWords: Decodable {
    let state: String
    let contact: String?
}

private struct BadgeWords: Decodable {
    let count: Int
    let revision: Int64?
}

private struct AllCenters: Encodable {
    let messageCenters: [OneCenter]
    let disabled: [String]?
    let badge: Badge
    let registration: RegistrationResult?
}

private struct OneCenter: Encodable {
    let name: String
    let label: String?
    let messages: [WireMessage]
}

/// A message as the device API describes it.
private struct WireMessage: Encodable {
    let id: String
    let sent_ts: String
    let subject: String
    let message: String
    let deeplink_url: String?
    let richmessage_url: String?
    let icon_url: String?
    let expiry_ts: String?
    let message_center_name: String
    let has_rich_content: Bool
    let state: String
    let custom: [String: AttributeValue]?

    init(_ kept: FakeInbox.Message) {
        id = kept.id
        sent_ts = Timestamp.text(kept.sentAt)
        subject = kept.subject
        message = kept.message
        deeplink_url = kept.deeplinkURL.map(Self.encoded)
        richmessage_url = kept.richURL.map(Self.encoded)
        icon_url = kept.iconURL.map(Self.encoded)
        expiry_ts = kept.expiresAt.map(Timestamp.text)
        message_center_name = kept.center
        has_rich_content = kept.html != nil
        state = kept.state.rawValue
        custom = kept.custom.isEmpty ? nil : kept.custom
    }

    /// Encodes like `encodeURIComponent`.
    private static func encoded(_ url: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")
        return url.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
