import BelfryServices

extension OpenAPI {
    /// The admin API: devices, their events, contacts and explanations.
    static let peopleOperations: [Operation] = [
        readDevice, listDeviceEvents, listDeviceMessages, revokeDevice, listContacts, readContact, deleteContact,
        eraseContact, explain,
    ]

    private static let readDevice = Operation(
        method: .get, path: "\(app)/devices/{clientId}", id: "readDevice", area: .people, access: .admin(.read),
        summary: "Read a device", answers: [.ok("DeviceAnswer", "The device, and whether it may be sent to.")],
        faults: [.notFound]
    )

    private static let listDeviceEvents = Operation(
        method: .get, path: "\(app)/devices/{clientId}/events", id: "listDeviceEvents", area: .people,
        access: .admin(.read), summary: "List a device's events", description: "The newest first.",
        parameters: pageOfEvents + eventFilters,
        answers: [.ok("DeviceEventsAnswer", "One page.")], faults: [.notFound]
    )

    private static let listDeviceMessages = Operation(
        method: .get, path: "\(app)/devices/{clientId}/messages", id: "listDeviceMessages", area: .people,
        access: .admin(.read), summary: "List what became of each campaign at a device",
        description: "Of those that had it in their audience, the newest campaign first.",
        parameters: page(
            standard: DirectoryController.standardMessages, maximum: DirectoryController.maximumMessages
        ),
        answers: [.ok("DeviceMessagesAnswer", "One page.")], faults: [.notFound]
    )

    private static let revokeDevice = Operation(
        method: .post, path: "\(app)/devices/{clientId}/revoke", id: "revokeDevice", area: .people,
        access: .admin(.admin), summary: "End a device's tokens",
        description: """
            For a device that is lost, or whose tokens may have leaked. Its tokens, its client state, its push token \
            and its link end; it registers and links anew with its next call.
            """,
        answers: [.done("They have ended.")], faults: [.notFound]
    )

    private static let pageOfEvents: [Parameter] = page(
        standard: DirectoryController.standardEvents, maximum: Directory.maximumEvents
    )

    private static let eventFilters: [Parameter] = [
        Parameter(name: "name", place: .query, schema: .string(), description: "Only events with this name."),
        Parameter(
            name: "from", place: .query, schema: .reference("Timestamp"),
            description: "Only events that happened then or later."
        ),
        Parameter(
            name: "to", place: .query, schema: .reference("Timestamp"), description: "Only events that happened before."
        ),
        Parameter(
            name: "attribute.KEY", place: .query, schema: .string(),
            description: """
                Only events whose attribute has this value; its name stands in the place of KEY. Several such \
                parameters, at most \(EventQuery.maximumAttributes), must all fit.
                """
        ),
    ]

    private static let listContacts = Operation(
        method: .get, path: "\(app)/contacts", id: "listContacts", area: .people, access: .admin(.read),
        summary: "List the contacts", description: "The newest first.",
        parameters: pageOfContacts + [orphaned],
        answers: [.ok("ContactListAnswer", "One page.")], faults: [.notFound]
    )

    private static let pageOfContacts: [Parameter] = page(
        standard: PeopleController.standardPage, maximum: PeopleController.maximumPage
    )

    private static let orphaned = Parameter(
        name: "orphaned", place: .query, schema: .word(["", "true", "false"]),
        description: """
            Only contacts that have no device and no history. One page looks at 1,000 contacts: it may hold fewer than \
            its limit, or none, and goes on by its cursor.
            """,
        mayBeEmpty: true
    )

    private static let readContact = Operation(
        method: .get, path: "\(app)/contacts/{contactKey}", id: "readContact", area: .people, access: .admin(.read),
        summary: "Read a contact", answers: [.ok("ContactAnswer", "The contact and its devices.")],
        faults: [.notFound]
    )

    private static let deleteContact = Operation(
        method: .delete, path: "\(app)/contacts/{contactKey}", id: "deleteContact", area: .people,
        access: .admin(.admin), summary: "Remove an orphaned contact",
        description: "A contact that has a device or a history is a conflict.",
        answers: [.done("It is gone.")], faults: [.notFound]
    )

    private static let eraseContact = Operation(
        method: .post, path: "\(app)/contacts/{contactKey}/erase", id: "eraseContact", area: .people,
        access: .admin(.admin), summary: "Erase a contact",
        description: """
            With its devices, their events and registrations. What was sent stays counted, without the person. The \
            devices are told by a 410 with the code `erased`. A contact that more than 100 devices share goes in \
            several steps: a call that breaks off is repeated with another `Idempotency-Key`.
            """,
        answers: [.ok("ContactErasureAnswer", "What was erased.")], faults: [.notFound]
    )

    private static let explain = Operation(
        method: .get, path: "\(app)/explain", id: "explain", area: .people, access: .admin(.read),
        summary: "Say why a device did, or did not, get a campaign",
        parameters: [
            Parameter(
                name: "campaign", place: .query, schema: .reference("CampaignID"), description: "The campaign.",
                isRequired: true
            ),
            Parameter(
                name: "device", place: .query, schema: .reference("DeviceID"), description: "The device.",
                isRequired: true
            ),
        ],
        answers: [.ok("ExplainAnswer", "The reason, in a word and in a sentence.")], faults: [.notFound]
    )
}
