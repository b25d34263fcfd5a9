import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// The app's data for its notification service extension (PUSH-8): who uses the device, what the icon shows, and how
/// the extension reports to the server.
package struct ExtensionBrief: Hashable, Sendable, Codable {
    /// The values that a request to the device API needs.
    package struct Access: Hashable, Sendable, Codable {
        package let serverURL: URL
        /// The path of the device API for this app.
        package let path: String
        package let clientState: String?
        package let contactToken: String
        package let refreshToken: String
    }

    /// The installation's id: notes of an earlier installation do not concern this one.
    package let deviceID: String
    /// The number of the contact for whom events are tracked now (ID-7), and its reference.
    package let owner: Int
    package let reference: String?
    package let badge: Badge
    package let showsBadges: Bool
    /// The person allows that events are recorded (REG-36).
    package let takesEvents: Bool
    /// The access to the device API; nil before the device is linked.
    package let access: Access?
    private let tags: RecipientTags
    private let isResting: Bool

    init(_ state: DeviceState, _ configuration: BelfryConfiguration) {
        deviceID = state.id.rawValue
        owner = state.sync.link.owner
        let filter = state.pushFilter
        reference = filter.reference
        tags = filter.tags
        isResting = filter.isResting
        badge = state.sync.badge.badge
        showsBadges = configuration.badgesEnabled
        takesEvents = state.privacy.takesEvents
        // Until a pending link is made, the tokens are those of the previous contact.
        let isPresent = !state.sync.link.awaitsContact
        access = state.sync.link.tokens.flatMap { tokens in
            guard isPresent else { return nil }
            return Access(
                serverURL: configuration.serverURL, path: configuration.path(""),
                clientState: state.sync.clientState, contactToken: tokens.contactToken,
                refreshToken: tokens.refreshToken
            )
        }
    }

    /// Why a push is not to be shown or recorded; nil when it is (ID-4, REG-36).
    package func dropReason(of push: ReceivedPush) -> PushDropReason? {
        PushFilter(tags: tags, reference: reference, isResting: isResting).dropReason(of: push)
    }
}

/// A push that the extension has received.
package struct PushNote: Hashable, Sendable, Codable {
    /// The `belfry` object: it may announce a message or a badge.
    package let payload: PushPayload
    package let receivedAt: Date
    /// The id of the event `push:received`, the same in the app and in the extension: the server stores each id once.
    package let eventID: UUID
    /// The installation and its contact; nil before the app was ever opened.
    package let deviceID: String?
    package let owner: Int?

    package init(_ push: ReceivedPush, receivedAt: Date, eventID: UUID, brief: ExtensionBrief?) {
        payload = push.payload
        // Rounded to the stored precision, so that stored and new values can be compared.
        self.receivedAt = Date(milliseconds: receivedAt.milliseconds)
        self.eventID = eventID
        deviceID = brief?.deviceID
        owner = brief?.owner
    }

    /// The event `push:received` in the form of the queue and of an upload.
    package func event() throws(BelfryError) -> Data {
        let event = Event(
            id: EventID(eventID), kind: .internal, name: .pushReceived, timestamp: receivedAt,
            attributes: try EventBody.attributes(["sid": .string(payload.sid)])
        )
        return try EventBody.json(event)
    }

    /// 16 digits, so that names sort by time.
    var timeText: String {
        let text = String(max(0, receivedAt.milliseconds))
        return String(repeating: "0", count: max(0, 16 - text.count)) + text
    }

    /// The digest of the id, which may contain characters that are invalid in a file name.
    var fileDigest: String { StableDigest(text: payload.sid).text }
}

/// A contact token that the extension has renewed for itself (ID-6). The app renews its own.
package struct RenewedToken: Hashable, Sendable, Codable {
    package let refreshToken: String
    package let contactToken: String

    package init(refreshToken: String, contactToken: String) {
        self.refreshToken = refreshToken
        self.contactToken = contactToken
    }
}
