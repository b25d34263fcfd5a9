import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// A message of a center as a contact is shown it.
package struct InboxMessage: Hashable, Sendable {
    /// The same on all devices of the contact.
    package let id: MessageID
    package let campaign: CampaignID
    package let sentAt: Date
    package let expiresAt: Date?
    package let state: MessageState
    /// All else that there is to say, as members of a JSON object in UTF-8: written once, when the message was kept.
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

/// A center with its newest messages, the newest first.
package struct InboxMessageCenter: Hashable, Sendable {
    package let name: MessageCenterName
    /// What people see in the place of the name; nil: the name.
    package let label: String?
    package let messages: [InboxMessage]
}

/// What a device fetches: every enabled center of the app, its badge, and what became of its newest registration that
/// was processed (MC-5, BADGE-1, REG-25).
package struct Inbox: Hashable, Sendable {
    package let centers: [InboxMessageCenter]
    /// Those that the app has and that show nothing (MC-10).
    package let disabled: [MessageCenterName]
    package let badge: Badge
    package let registration: RegistrationResult?
}
