import BelfryModel
import BelfryServerModel

/// The response to a device's sync of its in-app messages (WIRE-9).
package struct InAppSync: Hashable, Sendable {
    /// The most messages that an app can offer at a time: those of its campaigns, and those of tests (CAMP-7).
    package static let maximumMessages = 2 * InAppLimits.maximumActive

    /// The cursor that the device sends with its next sync.
    package let cursor: String
    package var messages: [OutgoingInAppMessage] = []
    package var recalled: [MessageID] = []
    /// The newest registration that was processed. It is not repeated while nothing has changed since the cursor
    /// (REG-25).
    package var registration: RegistrationResult?
    /// Another device has taken this device's push token. A live device then registers its token again (REG-27).
    package var hasLostToken = false
}

/// An in-app message, rendered for one device's contact.
package struct OutgoingInAppMessage: Hashable, Sendable {
    /// The message's id, the same in all versions.
    package let id: MessageID
    package let campaign: CampaignID
    package let version: Int
    /// The version from which displays count.
    package let displayEpoch: Int
    /// How often the contact has seen the message on this device since that version, as far as the server knows.
    package let displayCount: Int
    /// The content with the recipient's own texts, and without variants.
    package let draft: InAppDraft
}
