import BelfryModel
import Foundation

/// What a campaign makes (CAMP-1).
package enum CampaignKind: String, Hashable, Sendable, Codable, CaseIterable {
    case push
    case pushAndMessageCenter
    case messageCenter
    case inApp
    case silent

    /// Whether it leaves a message in a message center (MC-3).
    package var keepsMessage: Bool { self == .pushAndMessageCenter || self == .messageCenter }
    /// Whether devices download its message and decide when to show it (IAM-1).
    package var isInApp: Bool { self == .inApp }
}

/// Where a campaign stands in its life (CAMP-2).
package enum CampaignStatus: String, Hashable, Sendable, Codable, CaseIterable {
    case draft
    case scheduled
    case sending
    case paused
    case completed
    case cancelled
    case active
}

/// What a marketer composed, before it has a number and a life.
package struct CampaignDraft: Hashable, Sendable, Codable {
    package var name: String
    package var kind: CampaignKind
    package var audience: Condition
    package var push: PushContent?
    /// What is kept in a message center.
    package var messageCenter: MessageCenterContent?
    /// What devices download and show by themselves.
    package var inApp: InAppDraft?
    /// Absent: at once, to all.
    package var schedule: CampaignSchedule?
    /// Of a test: the numbers of the installations of its audience that get it; nil for all of them. A device's id may
    /// name several (WIRE-20), so an audience cannot say it, and nobody can from outside.
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

    /// What the campaign does to its recipients' badges: it stands in one of the two contents.
    package var badgeChange: BadgeChange? { push?.badge ?? messageCenter?.badge }
}

/// A campaign as the server keeps it.
package struct Campaign: Hashable, Sendable {
    package let id: CampaignID
    package let app: AppCode
    package var draft: CampaignDraft
    package var status: CampaignStatus
    /// Why it is in its state; nil where there is nothing to say.
    package var reason: StatusReason?
    /// The same as a sentence. One that is set has no cause.
    package var statusReason: String? {
        get { reason?.sentence }
        set { reason = newValue.map { StatusReason($0) } }
    }
    package var createdAt: Date
    /// When it begins, or was to begin, by its schedule; nil once it has begun (CAMP-5).
    package var scheduledAt: Date?
    package var launchedAt: Date?
    package var endedAt: Date?
    /// Of an in-app campaign: grows by one with each edit after its launch (IAM-4).
    package var inAppVersion: Int
    /// Of an in-app campaign: grows by one when an editor lets its displays be counted anew (IAM-4).
    package var displayEpoch: Int
    /// When it left the list; whoever names it still finds it.
    package var deletedAt: Date?
    /// When an in-app message was called back from the devices that have it (IAM-10).
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
