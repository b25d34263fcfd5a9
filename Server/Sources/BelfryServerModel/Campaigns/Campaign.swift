import BelfryModel
import Foundation

/// The kind of a campaign (CAMP-1).
package enum CampaignKind: String, Hashable, Sendable, Codable, CaseIterable {
    case push
    case pushAndMessageCenter
    case messageCenter
    case inApp
    case silent

    /// Whether the campaign leaves a message in a message center (MC-3).
    package var keepsMessage: Bool { self == .pushAndMessageCenter || self == .messageCenter }
    /// Whether devices download the message and decide when to show it (IAM-1).
    package var isInApp: Bool { self == .inApp }
}

/// The status of a campaign (CAMP-2).
package enum CampaignStatus: String, Hashable, Sendable, Codable, CaseIterable {
    case draft
    case scheduled
    case sending
    case paused
    case completed
    case cancelled
    case active
}

/// The content of a campaign as a marketer composed it, without a number and a status.
package struct CampaignDraft: Hashable, Sendable, Codable {
    package var name: String
    package var kind: CampaignKind
    package var audience: Condition
    package var push: PushContent?
    /// The message that is stored in a message center.
    package var messageCenter: MessageCenterContent?
    /// The message that devices download and show by themselves.
    package var inApp: InAppDraft?
    /// Absent: the campaign is sent immediately, to all.
    package var schedule: CampaignSchedule?
    /// For a test: the numbers of those installations of its audience that get it. Nil: all of them. Only the server
    /// sets it: a device's id may name several installations (WIRE-20), so an audience cannot express it.
    package var installations: [Int64]?

    package init(
        name: String, kind: CampaignKind, audience: Condition, push: PushContent? = nil,
        messageCenter: MessageCenterContent? = nil, inApp: InAppDraft? = nil, schedule: CampaignSchedule? = nil
    ) {
        self.name = name
        self.kind = kind
        self.audience = audience
        self.push = push
        self.messageCenter = messageCenter
        self.inApp = inApp
        self.schedule = schedule
    }

    /// The change of the recipients' badges, from the push or the message center content.
    package var badgeChange: BadgeChange? { push?.badge ?? messageCenter?.badge }
}

/// A campaign as the server stores it.
package struct Campaign: Hashable, Sendable {
    package let id: CampaignID
    package let app: AppCode
    package var draft: CampaignDraft
    package var status: CampaignStatus
    /// Why the campaign has its status. Nil when there is nothing to say.
    package var reason: StatusReason?
    /// The reason as a sentence. Setting it removes the cause.
    package var statusReason: String? {
        get { reason?.sentence }
        set { reason = newValue.map { StatusReason($0) } }
    }
    package var createdAt: Date
    /// The scheduled start. Nil once the campaign has begun (CAMP-5).
    package var scheduledAt: Date?
    package var launchedAt: Date?
    package var endedAt: Date?
    /// For an in-app campaign: grows by one with each edit after its launch (IAM-4).
    package var inAppVersion: Int
    /// For an in-app campaign: grows by one when an editor resets the count of its displays (IAM-4).
    package var displayEpoch: Int
    /// When the campaign was removed from the list. It can still be found by its number.
    package var deletedAt: Date?
    /// When an in-app message was recalled from the devices that have it (IAM-10).
    package var recalledAt: Date?

    package init(
        id: CampaignID,
        app: AppCode,
        draft: CampaignDraft,
        status: CampaignStatus,
        reason: StatusReason? = nil,
        createdAt: Date,
        scheduledAt: Date? = nil,
        launchedAt: Date? = nil,
        endedAt: Date? = nil,
        inAppVersion: Int = 1,
        displayEpoch: Int = 0,
        deletedAt: Date? = nil,
        recalledAt: Date? = nil
    ) {
        self.id = id
        self.app = app
        self.draft = draft
        self.status = status
        self.reason = reason
        self.createdAt = createdAt
        self.scheduledAt = scheduledAt
        self.launchedAt = launchedAt
        self.endedAt = endedAt
        self.inAppVersion = inAppVersion
        self.displayEpoch = displayEpoch
        self.deletedAt = deletedAt
        self.recalledAt = recalledAt
    }
}
