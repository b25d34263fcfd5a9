import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// What a step of the device's life does to the messages of the centres.
enum CenterChange: Sendable {
    /// All messages and rich contents go: they are another's, or nobody wants them (MC-1, MC-12). What the person did
    /// with them stays until the server has it.
    case purge
    /// The answer of a fetch: from now on the device has these and no others.
    case replace([StoredCenterMessage], fetchedAt: Date)
    /// The person read or deleted a message (MC-14).
    case setState(PendingMessageState)
    /// The server has the state, or will never take it.
    case settle(PendingMessageState)
    /// The key of a request for rich content, before it leaves (WIRE-11).
    case askRichContent(id: String, key: String, at: Date)
    case keepRichContent(id: String, html: String, at: Date)
    /// What the retention and the messages' own expiry let go (MC-7).
    case dropOld(CenterRetention)
}

/// A message as the device keeps it.
struct StoredCenterMessage: Hashable, Sendable {
    let body: CenterMessageBody
    let sentAt: Date
    let expiresAt: Date?
    /// What the server says joined with what was done on this device.
    var state: MessageState
    /// The rich content, once it was fetched.
    var richHTML: String?

    var id: String { body.id }
    var center: String { body.center }
}

extension StoredCenterMessage {
    /// - Returns: nil for a message that no Belfry server writes: without an id or a name, or with dates that are none.
    init?(_ body: CenterMessageBody) {
        guard !body.id.isEmpty, body.id.utf8.count <= Self.maximumIDBytes, let sentAt = Timestamp.date(body.sentAt)
        else { return nil }
        var expiresAt: Date?
        if let text = body.expiresAt {
            guard let date = Timestamp.date(text) else { return nil }
            expiresAt = date
        }
        self.init(body: body, sentAt: sentAt, expiresAt: expiresAt, state: body.state)
    }

    /// Bytes of an id that is taken.
    static let maximumIDBytes = 128
}
