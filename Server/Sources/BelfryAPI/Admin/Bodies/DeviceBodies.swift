import BelfryModel
import BelfryServerModel
import BelfryServices

/// Whether messages of a channel may reach the device, and if not, why (REG-22).
package struct EligibilityResponse: Hashable, Sendable, Codable {
    package var eligible: Bool
    package var reason: String?

    package init(_ eligibility: Eligibility) {
        eligible = eligibility.isEligible
        reason = eligibility.reason
    }
}

extension EligibilityResponse: Described {
    static let schema: JSONSchema = .object(
        ["eligible": .boolean],
        optional: ["reason": .string().described("Why not: `noToken`, `noCredentials`, `optedOut:user` …")]
    )
}

/// `GET …/devices/{clientId}`. Push tokens are shortened (SEC-3).
package struct DeviceResponse: Hashable, Sendable, Codable {
    package struct OptOutResponse: Hashable, Sendable, Codable {
        package var reason: OptOutReason
        package var at: String
    }

    package var deviceId: String
    package var contactKey: String?
    package var push: EligibilityResponse
    package var inApp: EligibilityResponse
    package var optOut: OptOutResponse?
    package var pushToken: String?
    package var pushProvider: PushProvider?
    package var pushEnvironment: PushEnvironment?
    /// When another device registered this device's token (REG-27).
    package var pushTokenMovedAt: String?
    package var pushEnabled: Bool?
    package var osPushEnabled: Bool?
    package var revision: Int64?
    /// The newest processed registration; a superseded one does not count.
    package var registration: Registration?
    package var system: SystemProperties
    package var badge: Badge
    package var lastOpenedAt: String?
    package var createdAt: String
    package var updatedAt: String
    /// The version of the device's Mobile Engage v3 client, for which its pushes are written (WIRE-29).
    package var v3Client: String?
    /// The number of the installation. `otherInstallations` lists those with the same id: an id is a name, not a proof
    /// (WIRE-20).
    package var installation: String?
    package var otherInstallations: [InstallationResponse]?
}

extension DeviceResponse.Registration {
    static let schema: JSONSchema = .object([
        "revision": .integer(), "status": .of(ReceiptStatus.self), "processedAt": .of(Timestamp.self),
        "rejected": .list(of: .of(RejectedField.self)),
    ])
    .described("The result of the newest processed registration, without superseded ones.")
}

extension DeviceResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "deviceId": .of(DeviceID.self),
            "push": .of(EligibilityResponse.self),
            "inApp": .of(EligibilityResponse.self),
            "system": .of(SystemProperties.self),
            "badge": .of(Badge.self),
            "createdAt": .of(Timestamp.self),
            "updatedAt": .of(Timestamp.self),
        ],
        optional: [
            "contactKey": .string(),
            "optOut": .object([
                "reason": .cases(of: OptOutReason.self), "at": .of(Timestamp.self),
            ]),
            "pushToken": .string().described("Shortened, because a token can be used to send."),
            "pushProvider": .of(PushProvider.self),
            "pushEnvironment": .of(PushEnvironment.self),
            "pushTokenMovedAt": .of(Timestamp.self).described(
                "Why it has no push token: another device has registered the one that it had."
            ),
            "pushEnabled": .boolean,
            "osPushEnabled": .boolean,
            "revision": .integer().described("The highest registration that was applied."),
            "registration": Registration.schema,
            "lastOpenedAt": .of(Timestamp.self),
            "v3Client": .string().described("The version of its client of Mobile Engage v3, if it has one."),
            "installation": .installation,
            "otherInstallations": .list(of: InstallationResponse.schema).described(
                "Others with the same id, the newest 20; they may be other people's. Choose one by `installation`."
            ),
        ]
    )
}

extension DeviceResponse {
    /// The result of a registration, for operators, who have no id with which to request a receipt (REG-20, REG-25).
    package struct Registration: Hashable, Sendable, Codable {
        package var revision: Int64
        /// `processed` or `partlyRejected`.
        package var status: ReceiptStatus
        package var processedAt: String
        /// The rejected fields, as on the receipt.
        package var rejected: [RejectedField]
    }
}

/// `GET …/devices/{clientId}/events`, newest first.
package struct DeviceEventsResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var id: String
        package var name: String
        /// The time by the device's clock.
        package var timestamp: String
        /// The time by the server's clock, when the device's was wrong (EVT-9).
        package var correctedTimestamp: String?
        package var attributes: [String: AttributeValue]
    }

    package var events: [Entry]
    package var cursor: String?

    package init(events: [Entry], cursor: String? = nil) {
        self.events = events
        self.cursor = cursor
    }
}

extension DeviceEventsResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "events": .list(
                of: .object(
                    [
                        "id": .string(), "name": .string(), "timestamp": .of(Timestamp.self),
                        "attributes": .attributes,
                    ],
                    optional: [
                        "correctedTimestamp": .of(Timestamp.self).described(
                            "By the server's clock, if the device's was wrong."
                        )
                    ]
                )
            )
        ],
        optional: ["cursor": .cursor]
    )
}

/// `GET …/devices/{clientId}/messages`: the delivery of each campaign to a device, newest campaign first (LED-2).
package struct DeviceMessagesResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        /// The campaign's id.
        package var campaign: String
        package var name: String
        package var kind: CampaignKind
        /// A delivery state.
        package var state: String
        package var reason: String?
        package var sentence: String
        /// When the delivery reached this state.
        package var at: String
    }

    package var messages: [Entry]
    package var cursor: String?

    package init(messages: [Entry], cursor: String? = nil) {
        self.messages = messages
        self.cursor = cursor
    }
}

extension DeviceMessagesResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "messages": .list(
                of: .object(
                    [
                        "campaign": .of(CampaignID.self), "name": .string(),
                        "kind": .of(CampaignKind.self),
                        "state": .cases(of: DeliveryState.self),
                        "sentence": .string().described("The result, for people."),
                        "at": .of(Timestamp.self).described("The time of the result."),
                    ],
                    optional: ["reason": .string().described("A stable word, or the push service's.")]
                )
            )
        ],
        optional: ["cursor": .cursor]
    )
}

/// `GET …/explain` (LED-2).
package struct ExplainResponse: Hashable, Sendable, Codable {
    package struct Step: Hashable, Sendable, Codable {
        package var at: String
        package var what: String
        package var detail: String?
    }

    /// A part of the audience's condition.
    package struct Part: Hashable, Sendable, Codable {
        package var condition: Condition
        /// Whether the device matches this part now; nil when it would be too expensive to find out.
        package var holds: Bool?
    }

    /// One device of a person.
    package struct Device: Hashable, Sendable, Codable {
        package var deviceId: String
        /// Whether the person still has the device.
        package var isPresent: Bool
        package var state: String
        package var reason: String?
        package var sentence: String
        package var history: [Step]
        /// Only for a device outside the audience: the parts of the audience's condition.
        package var audience: [Part]?
    }

    /// The campaign's message in the person's message center.
    package struct Center: Hashable, Sendable, Codable {
        package var center: String
        /// The state of the message; nil when there is no message.
        package var state: MessageState?
        package var sentence: String
    }

    /// A delivery state, `notInAudience` or `removed`. For a person: the state of the device on which the delivery got
    /// furthest.
    package var state: String
    package var reason: String?
    package var sentence: String
    /// For one device. A person's devices each have their own history.
    package var history: [Step]
    /// For one device outside the audience. A person's devices each have their own list.
    package var audience: [Part]?
    /// Only when the request names a person.
    package var contactKey: String?
    package var devices: [Device]?
    /// The number of all devices of the person.
    package var deviceCount: Int?
    /// Only for a person with more devices than are listed: a sentence that says so.
    package var omission: String?
    package var messageCenter: Center?
}

extension ExplainResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "state": state.described("For a contact: that of the device on which it got furthest."),
            "sentence": .string().described("The reason, for people."),
            "history": history.described("Of a contact it is empty; each device has its own."),
        ],
        optional: [
            "reason": .string().described("A stable word, or the push service's."),
            "audience": audience, "contactKey": .string().described("Of a contact: its present key."),
            "devices": .list(
                of: .object(
                    [
                        "deviceId": .string(), "isPresent": .boolean.described("Whether the contact has it now."),
                        "state": state, "sentence": .string(), "history": history,
                    ],
                    optional: ["reason": .string(), "audience": audience]
                )
            )
            .described(
                """
                For a contact: its devices, and those that got the campaign while they belonged to it. Of more than 50, \
                those on which it got furthest.
                """
            ),
            "deviceCount": .count.described("Of a contact: the number of all devices that it has."),
            "omission": .string().described("For a contact with devices that are not listed: a sentence that says so."),
            "messageCenter": .object(
                ["center": .string(), "sentence": .string()], optional: ["state": .cases(of: MessageState.self)]
            )
            .described("Of a contact, for a campaign with a message center message."),
        ]
    )

    private static let state: JSONSchema = .word(
        DeliveryState.allCases.map(\.rawValue) + ["notInAudience", Explanation.removed]
    )

    private static let audience: JSONSchema = .list(
        of: .object(
            ["condition": .of(Condition.self)],
            optional: [
                "holds": .boolean.described("Whether the device has it now; absent if that costs too much to know.")
            ]
        )
    )
    .described(
        """
        Of a device that the audience left out: what the audience asks for, at most \
        \(AudienceEvidence.maximumParts) conditions.
        """
    )

    private static let history: JSONSchema = .list(
        of: .object(["at": .of(Timestamp.self), "what": .string()], optional: ["detail": .string()])
    )
}
