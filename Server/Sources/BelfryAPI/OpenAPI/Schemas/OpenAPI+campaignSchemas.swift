import BelfryModel

extension OpenAPI {
    static let campaignSchemas: [String: Schema] = [
        "CampaignRequest": .object(
            [
                "name": .string(1...200),
                "kind": .reference("CampaignKind"),
                "audience": .reference("Predicate"),
            ],
            optional: [
                "push": .reference("PushContent").described(
                    "Asked for by the kinds `push` and `pushAndMessageCenter`; `messageCenter` has none."),
                "messageCenter": .reference("MessageCenterContent").described(
                    "Asked for by the kind `messageCenter`; beside a push, what it leaves out is as in the push."),
                "inApp": .reference("InAppDraftRequest").described("Asked for by the kind `inApp`, and of no other."),
                "schedule": .reference("CampaignSchedule").described("Of the kind `inApp` only `at`."),
            ],
            isClosed: true
        ),
        "CampaignKind": .word(CampaignKind.allCases.map(\.rawValue)),
        "CampaignStatus": .word(CampaignStatus.allCases.map(\.rawValue)),
        "CampaignStatusAnswer": .object(
            ["id": .reference("CampaignID"), "status": .reference("CampaignStatus")],
            optional: ["reason": .string().described("Why it is paused or cancelled, in a sentence.")]
        ),
        "CampaignAnswer": .object(
            [
                "id": .reference("CampaignID"), "name": .string(), "kind": .reference("CampaignKind"),
                "status": .reference("CampaignStatus"), "audience": .reference("Predicate"),
                "createdAt": .reference("Timestamp"), "counts": .reference("CampaignCounts"),
            ],
            optional: [
                "statusReason": .string(), "push": .reference("PushContent"),
                "messageCenter": .reference("MessageCenterContent"),
                "messageCenterCounts": .reference("MessageCenterCounts").described(
                    "Of a campaign that keeps a message."),
                "inApp": .reference("InAppDraft"),
                "inAppVersion": .integer(1...Int64(Int32.max)).described("Grows with each edit after the launch."),
                "inAppCounts": .reference("InAppCounts").described("Of the kind `inApp`."),
                "schedule": .reference("CampaignSchedule"),
                "scheduledAt": .reference("Timestamp").described(
                    "When it begins, or was to begin; absent once it has begun."
                ),
                "launchedAt": .reference("Timestamp"), "endedAt": .reference("Timestamp"),
                "deletedAt": .reference("Timestamp").described("When it left the list."),
                "recalledAt": .reference("Timestamp").described(
                    "When its message was taken back from the devices that have it."),
            ]
        ),
        "CampaignListAnswer": .object(
            [
                "campaigns": .list(
                    of: .object([
                        "id": .reference("CampaignID"), "name": .string(), "kind": .reference("CampaignKind"),
                        "status": .reference("CampaignStatus"),
                    ])
                )
            ],
            optional: ["cursor": cursor]
        ),
        "CampaignCounts": .object([
            "audience": .count, "pending": .count, "accepted": .count, "suppressed": .count, "rejected": .count,
            "cancelled": .count, "displayed": .count, "opened": .count,
        ])
        .described("Sums over the ledger: each device of the audience stands in one of the first five states."),
        "Predicate": predicate,
        "DateValue": dateValue,
        "AudienceCountRequest": .object(["audience": .reference("Predicate")], isClosed: true),
        "AudienceCountAnswer": .object(["devices": .count]),
    ]

    /// What goes on where a page ends.
    static let cursor: Schema = .string().described("Asks for what comes next; absent: there is no more.")
}
