import BelfryModel
import BelfryServerModel

/// What a device is told of its in-app messages (WIRE-9).
package struct InAppSync: Hashable, Sendable {
    /// Messages that an app can offer at a time: those of its campaigns, and those of tests (CAMP-7).
    package static let maximumMessages = 2 * InAppLimits.maximumActive

    /// What it shows the next time.
    package let cursor: String
    package var messages: [OutgoingInAppMessage] = []
    package var recalled: [MessageID] = []
    /// The newest registration that was processed; not said again while nothing has changed since the cursor (REG-25).
    package var registration: RegistrationResult?
    /// Another device has the push token that this one had: it registers its token anew, if it lives (REG-27).
    package var hasLostToken = false
}

/// An in-app message as one device's contact gets it.
package struct OutgoingInAppMessage: Hashable, Sendable {
    /// The same over all versions.
    package let id: MessageID
    package let campaign: CampaignID
    package let version: Int
    /// The version since which displays count.
    package let displayEpoch: Int
    /// How often the contact has seen it on this device since, as far as the server knows.
    package let displayCount: Int
    /// With the recipient's own texts, and no variants.
    package let draft: InAppDraft
}
