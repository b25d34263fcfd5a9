import BelfryModel
import BelfryServerModel
import BelfryServices

/// `POST …/campaigns` (ADM-2).
package struct CampaignRequest: Hashable, Sendable, Codable {
    package var name: String
    package var kind: CampaignKind
    package var audience: Condition
    package var push: PushContent?
    /// The content for a message center.
    package var messageCenter: MessageCenterContent?
    /// The in-app message.
    package var inApp: InAppDraftRequest?
    /// Absent: immediately, to all.
    package var schedule: CampaignSchedule?

    package init(
        name: String, kind: CampaignKind, audience: Condition, push: PushContent? = nil,
        messageCenter: MessageCenterContent? = nil, inApp: InAppDraftRequest? = nil, schedule: CampaignSchedule? = nil
    ) {
        self.name = name
        self.kind = kind
        self.audience = audience
        self.push = push
        self.messageCenter = messageCenter
        self.inApp = inApp
        self.schedule = schedule
    }
}

extension CampaignRequest: Described {
    static let schema: JSONSchema = .object(
        [
            "name": .string(1...CampaignCheck.maximumNameLength),
            "kind": .of(CampaignKind.self),
            "audience": .of(Condition.self),
        ],
        optional: CampaignResponse.standing.mapValues(\.ignored).merging([
            "push": .of(PushContent.self).described(
                "Required by the kinds `push` and `pushAndMessageCenter`; `messageCenter` has none."),
            "messageCenter": .of(MessageCenterContent.self).described(
                "Required by the kind `messageCenter`. With a push, absent fields are taken from the push."),
            "inApp": .of(InAppDraftRequest.self).described("Required by the kind `inApp`; other kinds have none."),
            "schedule": .of(CampaignSchedule.self).described("The kind `inApp` only has `at`."),
        ]) { $1 },
        isClosed: true
    )
}

extension CampaignRequest {
    var draft: CampaignDraft {
        CampaignDraft(
            name: name, kind: kind, audience: audience, push: push, messageCenter: messageCenter, inApp: inApp?.draft,
            schedule: schedule
        )
    }
}

/// The in-app message of a campaign in a request: the members of the draft, and those that only an edit has.
package struct InAppDraftRequest: Hashable, Sendable, Codable {
    package var draft: InAppDraft
    /// For an edit after the launch: displays are counted from zero again (IAM-4). Before the launch there are none.
    package var resetDisplays: Bool?

    private enum Key: String, CodingKey { case resetDisplays }

    package init(_ draft: InAppDraft, resetDisplays: Bool? = nil) {
        self.draft = draft
        self.resetDisplays = resetDisplays
    }

    package init(from decoder: any Decoder) throws {
        draft = try InAppDraft(from: decoder)
        resetDisplays = try decoder.container(keyedBy: Key.self).decodeIfPresent(Bool.self, forKey: .resetDisplays)
    }

    package func encode(to encoder: any Encoder) throws {
        try draft.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(resetDisplays, forKey: .resetDisplays)
    }
}

extension InAppDraftRequest: Described {
    static let schema: JSONSchema = .object(
        InAppDraft.requiredFields,
        optional: InAppDraft.optionalFields.merging(InAppDraft.requestedTimes) { $1 }.merging([
            "resetDisplays": .boolean
                .described("With an edit after the launch: whether to reset the display count; default: false.")
        ]) { $1 },
        isClosed: true
    )
    .described(
        """
        The in-app message of a campaign. Texts, addresses and HTML may be templates. Every type except `inline` \
        needs a `trigger`, and `inline` a `viewId`.
        """
    )
}

/// The response to a new campaign and to launch, pause, resume and cancel.
package struct CampaignStatusResponse: Hashable, Sendable, Codable {
    package var id: String
    package var status: CampaignStatus
    package var reason: String?
}

extension CampaignStatusResponse: Described {
    static let schema: JSONSchema = .object(
        ["id": .of(CampaignID.self), "status": .of(CampaignStatus.self)],
        optional: ["reason": .string().described("Why it is paused or cancelled, as a sentence.")]
    )
}

/// `GET …/campaigns/{id}`.
package struct CampaignResponse: Hashable, Sendable, Codable {
    package var id: String
    package var name: String
    package var kind: CampaignKind
    package var status: CampaignStatus
    package var statusReason: String?
    package var audience: Condition
    package var push: PushContent?
    /// The content for a message center.
    package var messageCenter: MessageCenterContent?
    /// The in-app message.
    package var inApp: InAppDraft?
    /// The version of an in-app campaign's message; it grows with each edit after the launch.
    package var inAppVersion: Int?
    package var schedule: CampaignSchedule?
    package var createdAt: String
    /// When the campaign is, or was, scheduled to begin; absent once it has begun.
    package var scheduledAt: String?
    package var launchedAt: String?
    package var endedAt: String?
    /// When the campaign was deleted from the list.
    package var deletedAt: String?
    /// When the campaign's messages were recalled.
    package var recalledAt: String?
    package var counts: CampaignCounts
    /// Only for a campaign with a message center message.
    package var messageCenterCounts: MessageCenterCounts?
    /// Only for an in-app campaign.
    package var inAppCounts: InAppCounts?

    package init(
        campaign: Campaign, counts: CampaignCounts, messageCenterCounts: MessageCenterCounts? = nil,
        inAppCounts: InAppCounts? = nil
    ) {
        id = campaign.id.description
        name = campaign.draft.name
        kind = campaign.draft.kind
        status = campaign.status
        statusReason = campaign.statusReason
        audience = campaign.draft.audience
        push = campaign.draft.push
        messageCenter = campaign.draft.messageCenter
        inApp = campaign.draft.inApp
        inAppVersion = campaign.draft.kind.isInApp ? campaign.inAppVersion : nil
        schedule = campaign.draft.schedule
        createdAt = Timestamp.text(campaign.createdAt)
        scheduledAt = campaign.scheduledAt.map(Timestamp.text)
        launchedAt = campaign.launchedAt.map(Timestamp.text)
        endedAt = campaign.endedAt.map(Timestamp.text)
        deletedAt = campaign.deletedAt.map(Timestamp.text)
        recalledAt = campaign.recalledAt.map(Timestamp.text)
        self.counts = counts
        self.messageCenterCounts = messageCenterCounts
        self.inAppCounts = inAppCounts
    }
}

extension CampaignResponse: Described {
    static let schema: JSONSchema = .object(
        always.merging([
            "name": .string(), "kind": .of(CampaignKind.self), "audience": .of(Condition.self),
        ]) { $1 },
        optional: sometimes.merging([
            "push": .of(PushContent.self), "messageCenter": .of(MessageCenterContent.self),
            "inApp": .of(InAppDraft.self), "schedule": .of(CampaignSchedule.self),
        ]) { $1 }
    )

    /// The status members of a campaign, as opposed to its content. A request may repeat the whole response, so it
    /// accepts and ignores them (CLI-7).
    fileprivate static let standing = always.merging(sometimes) { $1 }

    private static let always: [String: JSONSchema] = [
        "id": .of(CampaignID.self), "status": .of(CampaignStatus.self), "createdAt": .of(Timestamp.self),
        "counts": .of(CampaignCounts.self),
    ]

    private static let sometimes: [String: JSONSchema] = [
        "statusReason": .string(),
        "messageCenterCounts": .of(MessageCenterCounts.self).described(
            "For a campaign with a message center message."),
        "inAppVersion": .integer(1...Int32.max).described("Increases with each edit after the launch."),
        "inAppCounts": .of(InAppCounts.self).described("For the kind `inApp`."),
        "scheduledAt": .of(Timestamp.self).described(
            "When it starts, or was due to start; absent once it has started."
        ),
        "launchedAt": .of(Timestamp.self), "endedAt": .of(Timestamp.self),
        "deletedAt": .of(Timestamp.self).described("When it was removed from the list."),
        "recalledAt": .of(Timestamp.self).described("When its messages were recalled."),
    ]
}

/// `GET …/campaigns`.
package struct CampaignListResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var id: String
        package var name: String
        package var kind: CampaignKind
        package var status: CampaignStatus
    }

    package var campaigns: [Entry]
    package var cursor: String?

    package init(campaigns: [Entry], cursor: String? = nil) {
        self.campaigns = campaigns
        self.cursor = cursor
    }
}

extension CampaignListResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "campaigns": .list(
                of: .object([
                    "id": .of(CampaignID.self), "name": .string(), "kind": .of(CampaignKind.self),
                    "status": .of(CampaignStatus.self),
                ])
            )
        ],
        optional: ["cursor": .cursor]
    )
}

/// `POST …/audience` (CAMP-3).
package struct AudienceCountRequest: Hashable, Sendable, Codable {
    package var audience: Condition

    package init(audience: Condition) {
        self.audience = audience
    }
}

extension AudienceCountRequest: Described {
    static let schema: JSONSchema = .object(["audience": .of(Condition.self)], isClosed: true)
}

/// The response to `POST …/audience` (CAMP-3).
package struct AudienceCountResponse: Hashable, Sendable, Codable {
    /// The number of devices in the audience now.
    package var devices: Int
}

extension AudienceCountResponse: Described {
    static let schema: JSONSchema = .object(["devices": .count])
}

/// How devices responded to a campaign's in-app message: sums over all devices (IAM-9, LED-3).
package struct InAppCounts: Hashable, Sendable, Codable {
    /// The number of devices that have downloaded the message.
    package var downloaded: Int
    /// How often the message was on screen.
    package var displays: Int
    /// The number of devices that have shown the message.
    package var displayedBy: Int
    package var clicks: Int
    /// The number of devices on which the message was clicked.
    package var clickedBy: Int
    package var dismissals: Int
    /// Clicks by the button's id, for the buttons with the most clicks. A tap on the message itself counts for no
    /// button.
    package var clicksByButton: [String: Int]
    /// How often the message was due and was not shown, by reason.
    package var notShown: [String: Int]

    package init(
        downloaded: Int = 0, displays: Int = 0, displayedBy: Int = 0, clicks: Int = 0, clickedBy: Int = 0,
        dismissals: Int = 0, clicksByButton: [String: Int] = [:], notShown: [String: Int] = [:]
    ) {
        self.downloaded = downloaded
        self.displays = displays
        self.displayedBy = displayedBy
        self.clicks = clicks
        self.clickedBy = clickedBy
        self.dismissals = dismissals
        self.clicksByButton = clicksByButton
        self.notShown = notShown
    }
}

extension InAppCounts: Described {
    static let schema: JSONSchema = .object([
        "downloaded": .count.described("Devices that have downloaded it."),
        "displays": .count.described("How often it was displayed."), "displayedBy": .count,
        "clicks": .count, "clickedBy": .count, "dismissals": .count,
        "clicksByButton": .map(of: .count).described("By button id, for the most clicked buttons."),
        "notShown": .map(of: .count).described("How often it was due but not shown, by reason."),
    ])
    .described("Totals over all devices; `displayedBy` and `clickedBy` count each device once.")
}

/// How a campaign's messages fared in message centers: sums over all devices (ENG-4).
package struct MessageCenterCounts: Hashable, Sendable, Codable {
    /// How often the message was shown in a list.
    package var displays: Int
    /// The number of devices that have shown the message.
    package var displayedBy: Int
    /// How often the message was opened.
    package var opens: Int
    /// The number of devices on which the message was opened.
    package var openedBy: Int
}

extension MessageCenterCounts: Described {
    static let schema: JSONSchema = .object([
        "displays": .count.described("How often it was shown in a list."), "displayedBy": .count,
        "opens": .count, "openedBy": .count,
    ])
    .described("Totals over all devices; `displayedBy` and `openedBy` count each device once.")
}
