import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// A message center message as a contact gets it.
package struct InboxMessage: Hashable, Sendable {
    /// The message's id, the same on all devices of the contact.
    package let id: MessageID
    package let campaign: CampaignID
    package let sentAt: Date
    package let expiresAt: Date?
    package let state: MessageState
    /// All other fields, as members of a JSON object in UTF-8. They are written once, when the message is stored.
    package let members: [UInt8]

    init(_ row: MessageCenterMessageRow, of owner: MessageOwner) {
        id = owner.id(of: row.campaign)
        campaign = row.campaign
        sentAt = row.sentAt
        expiresAt = row.expiresAt
        state = row.state
        members = row.body
    }
}

/// A message center with its newest messages, newest first.
package struct InboxMessageCenter: Hashable, Sendable {
    package let name: MessageCenterName
    /// The label that people see instead of the name. Nil: the name.
    package let label: String?
    package let messages: [InboxMessage]
}

/// The response to a device's fetch: every enabled center of the app, its badge, and the result of its newest processed
/// registration (MC-5, BADGE-1, REG-25).
package struct Inbox: Hashable, Sendable {
    package let centers: [InboxMessageCenter]
    /// The app's centers that are disabled and show nothing (MC-10).
    package let disabled: [MessageCenterName]
    package let badge: Badge
    package let registration: RegistrationResult?
}
