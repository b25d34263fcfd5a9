import BelfryServices

extension OpenAPI {
    static let quarantineSchemas: [String: Schema] = [
        "QuarantineAnswer": .object(
            [
                "work": .list(
                    of: .object(
                        [
                            "id": .string(),
                            "kind": .word(QuarantinedWork.kinds),
                            "attempts": .count.described("How often it was begun alone without an end."),
                            "reason": .string().described("Why it is set aside, for people."),
                            "since": .reference("Timestamp"),
                        ],
                        optional: [
                            "app": .reference("AppCode"),
                            "campaign": .reference("CampaignID").described("Of a batch or a plan."),
                        ]
                    )
                )
            ],
            optional: ["cursor": cursor]
        )
    ]
}
