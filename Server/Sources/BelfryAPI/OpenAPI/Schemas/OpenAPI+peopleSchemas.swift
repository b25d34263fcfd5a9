import BelfryModel

extension OpenAPI {
    static let peopleSchemas: [String: Schema] = [
        "DeviceAnswer": deviceAnswer,
        "EligibilityAnswer": .object(
            ["eligible": .boolean],
            optional: ["reason": .string().described("Why not: `noToken`, `noCredentials`, `optedOut:user` …")]
        ),
        "DeviceEventsAnswer": .object(
            [
                "events": .list(
                    of: .object(
                        [
                            "id": .string(), "name": .string(), "timestamp": .reference("Timestamp"),
                            "attributes": .reference("Attributes"),
                        ],
                        optional: [
                            "correctedTimestamp": .reference("Timestamp").described(
                                "By the server's clock, when the device's was wrong."
                            )
                        ]
                    )
                )
            ],
            optional: ["cursor": cursor]
        ),
        "DeviceMessagesAnswer": .object(
            [
                "messages": .list(
                    of: .object(
                        [
                            "campaign": .reference("CampaignID"), "name": .string(),
                            "kind": .reference("CampaignKind"),
                            "state": .word(DeliveryState.allCases.map(\.rawValue)),
                            "sentence": .string().described("What became of it, for people."),
                            "at": .reference("Timestamp").described("When it came to be so."),
                        ],
                        optional: ["reason": .string().described("A stable word, or the push service's own.")]
                    )
                )
            ],
            optional: ["cursor": cursor]
        ),
        "ContactAnswer": .object(
            [
                "contactKey": .string(),
                "known": .boolean.described("Whether somebody named it; else it is anonymous."),
                "attributes": .reference("Attributes"),
                "tags": .list(of: .string()),
                "devices": .list(of: .reference("DeviceID")).described("The newest 100, the newest first."),
                "deviceCount": .count.described("Of all its devices."),
                "createdAt": .reference("Timestamp"),
            ],
            optional: [
                "partyIdentifier": .reference("PartyIdentifier"), "lastOpenedAt": .reference("Timestamp"),
            ]
        ),
        "ContactListAnswer": .object(
            [
                "contacts": .list(
                    of: .object(
                        ["contactKey": .string(), "known": .boolean, "createdAt": .reference("Timestamp")],
                        optional: ["lastOpenedAt": .reference("Timestamp")]
                    )
                )
            ],
            optional: ["cursor": cursor]
        ),
        "ContactErasureAnswer": .object([
            "contactKey": .string(),
            "devices": .count.described("How many are gone."),
            "events": .count.described("How many are gone."),
        ]),
        "ExplainAnswer": .object(
            [
                "state": .word(explainedStates),
                "sentence": .string().described("The reason, for people."),
                "history": .list(
                    of: .object(
                        ["at": .reference("Timestamp"), "what": .string()], optional: ["detail": .string()]
                    )
                ),
            ],
            optional: ["reason": .string().described("A stable word, or the push service's own.")]
        ),
    ]

    private static let explainedStates: [String] = DeliveryState.allCases.map(\.rawValue) + ["notInAudience"]

    private static let deviceAnswer: Schema = .object(
        [
            "deviceId": .reference("DeviceID"),
            "push": .reference("EligibilityAnswer"),
            "inApp": .reference("EligibilityAnswer"),
            "system": .reference("SystemProperties"),
            "badge": .reference("Badge"),
            "createdAt": .reference("Timestamp"),
            "updatedAt": .reference("Timestamp"),
        ],
        optional: [
            "contactKey": .string(),
            "optOut": .object([
                "reason": .word(OptOutReason.allCases.map(\.rawValue)), "at": .reference("Timestamp"),
            ]),
            "pushToken": .string().described("Shortened: whoever reads a token can send with it."),
            "pushProvider": .reference("PushProvider"),
            "pushEnvironment": .reference("PushEnvironment"),
            "pushEnabled": .boolean,
            "osPushEnabled": .boolean,
            "revision": .integer().described("The highest registration that was applied."),
            "registration": newestRegistration,
            "lastOpenedAt": .reference("Timestamp"),
        ]
    )

    private static let newestRegistration: Schema = .object([
        "revision": .integer(),
        "status": .reference("ReceiptStatus"),
        "processedAt": .reference("Timestamp"),
        "rejected": .list(of: .reference("RejectedField")),
    ])
    .described("What became of the newest registration that was processed; one that was superseded is none.")
}
