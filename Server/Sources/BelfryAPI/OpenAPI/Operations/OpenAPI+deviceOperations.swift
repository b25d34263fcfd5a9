extension OpenAPI {
    /// The device API, with the other spellings of its addresses.
    static let deviceOperations: [Operation] = [
        putClient, linkContact,
        refreshContactToken,
        refreshContactToken.alias(path: "\(devicePath)/contact_token", id: "refreshContactTokenByUnderscore"),
        putPushToken, putPushToken.alias(path: "\(devicePath)/push_token", id: "putPushTokenByUnderscore"),
        deletePushToken, deletePushToken.alias(path: "\(devicePath)/push_token", id: "deletePushTokenByUnderscore"),
        sendRegistration, readRegistration, sendEvents, sendEventsOfVersion4,
    ]

    private static let devicePath = "/v3/apps/{appCode}/client"

    private static let putClient = Operation(
        method: .post, path: devicePath, id: "putClient", area: .device, access: .deviceWithTokenIfAny,
        summary: "Tell the device's properties",
        description: "The first call of an installation; repeated, it changes nothing.",
        body: Operation.Body("ClientProperties"), answers: [.done("They are stored.")]
    )

    private static let linkContact = Operation(
        method: .post, path: "\(devicePath)/contact", id: "linkContact", area: .device, access: .deviceWithTokenIfAny,
        summary: "Link the device to a contact",
        description: """
            To the contact with this key, to the one that an OpenID token proves, or, by `?anonymous`, to one without \
            a name: then there is no body.
            """,
        parameters: [
            Parameter(
                name: "anonymous", place: .query, schema: .word(["", "true", "false"]),
                description: "`?anonymous` and `?anonymous=true` link anonymously.", mayBeEmpty: true
            ),
            Parameter(
                name: "fresh", place: .query, schema: .word(["", "true", "false"]),
                description: """
                    With `?anonymous`: to a contact that the device never had, also where it has an anonymous one. For \
                    a device that another person uses now; it keeps its push token, its consent and its revision.
                    """,
                mayBeEmpty: true
            ),
        ],
        body: Operation.Body("ContactLinkRequest", isRequired: false),
        answers: [.ok("ContactLinkAnswer", "A token pair, and the opaque reference of the contact.")],
        faults: [.forbidden]
    )

    private static let refreshContactToken = Operation(
        method: .post, path: "\(devicePath)/contact-token", id: "refreshContactToken", area: .device, access: .device,
        summary: "Get a new contact token",
        description: "A refresh token that is not known is a 400 with the code `1101`: register and link anew.",
        body: Operation.Body("ContactTokenRequest"),
        answers: [.ok("ContactTokenAnswer", "A new contact token.")]
    )

    private static let putPushToken = Operation(
        method: .put, path: "\(devicePath)/push-token", id: "putPushToken", area: .device, access: .linkedDevice,
        summary: "Register the push token",
        description: "It is taken from any other device that has it. Repeated, the call changes nothing.",
        body: Operation.Body("PushTokenRequest"), answers: [.done("It is stored.")]
    )

    private static let deletePushToken = Operation(
        method: .delete, path: "\(devicePath)/push-token", id: "deletePushToken", area: .device, access: .linkedDevice,
        summary: "Remove the push token",
        description: "For a device that never sent a registration this is its user's opt-out. A body says nothing.",
        answers: [.done("There is none any more.")]
    )

    private static let sendRegistration = Operation(
        method: .post, path: "\(devicePath)/registration", id: "sendRegistration", area: .device, access: .linkedDevice,
        summary: "Send the contact record",
        description: "It is stored and processed later; its receipt tells what became of it.",
        body: Operation.Body("RegistrationSnapshot"),
        answers: [.created("RegistrationAnswer", "It is stored.")], faults: [.conflict]
    )

    private static let readRegistration = Operation(
        method: .get, path: "\(devicePath)/registration/{registrationId}", id: "readRegistration", area: .device,
        access: .linkedDevice, summary: "Read the receipt of a registration",
        answers: [.ok("RegistrationReceipt", "Where its processing stands, and what was rejected.")],
        faults: [.notFound]
    )

    private static let sendEvents = Operation(
        method: .post, path: "\(devicePath)/events", id: "sendEvents", area: .device, access: .linkedDevice,
        summary: "Send events",
        description: "Each id is stored once, however often it is sent. A bad event never spoils its batch.",
        body: Operation.Body("EventBatch"), answers: eventAnswers
    )

    private static let sendEventsOfVersion4 = Operation(
        method: .post, path: "/v4/apps/{appCode}/client/events", id: "sendEventsOfVersion4", area: .device,
        access: .linkedDevice, summary: "Send events, at the address of version 4",
        description: "As `sendEvents`; the clients of version 3 use this address.",
        body: Operation.Body("EventBatch"), answers: eventAnswers
    )

    private static let eventAnswers: [Answer] = [
        .ok("EventBatchAnswer", "The good events are stored; there is something to say."),
        .done("All events are stored."),
    ]
}
