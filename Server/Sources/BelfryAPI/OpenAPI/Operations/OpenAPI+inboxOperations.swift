import BelfryWire

extension OpenAPI {
    /// The device API: message centres, the badge, and the inbox of version 3.
    static let inboxOperations: [Operation] = [
        readMessageCenters, readCenterMessages, readRichContent, putMessageState, readBadge, putBadge, readInbox,
    ]

    private static let base = "/v3/apps/{appCode}"

    private static let readMessageCenters = Operation(
        method: .get, path: "\(base)/client/message-centers", id: "readMessageCenters", area: .device,
        access: .linkedDevice, summary: "Fetch all message centres",
        description: "Every enabled centre, an empty one too, with its newest messages, and the device's badge.",
        answers: [.ok("MessageCentersAnswer", "The primary centre first.")]
    )

    private static let readCenterMessages = Operation(
        method: .get, path: "\(base)/client/message-centers/{center}/messages", id: "readCenterMessages", area: .device,
        access: .linkedDevice, summary: "Fetch one message centre",
        description: """
            A centre that is disabled is a 403 (`messageCenterDisabled`), one that is not there a 404 \
            (`unknownMessageCenter`).
            """,
        answers: [.ok("CenterMessagesAnswer", "Its newest messages, the newest first.")],
        faults: [.forbidden, .notFound]
    )

    private static let readRichContent = Operation(
        method: .get, path: "\(base)/client/messages/{messageId}/rich-content", id: "readRichContent", area: .device,
        access: .linkedDevice, summary: "Fetch the rich content of a message, once",
        description: """
            The first key that a device asks with is served, and may ask again for 24 hours; another one is a 410 \
            (`richContentAlreadyServed`). A message without such content, or another's, is a 404 (`unknownMessage`). \
            `HEAD` is a 405, and serves nothing.
            """,
        parameters: [
            Parameter(
                name: HeaderNames.idempotencyKey, place: .header, schema: idempotencyKey,
                description: """
                    Visible ASCII. Names this request: whoever has lost the answer asks with the same key. Without \
                    it: 400 (`missingIdempotencyKey`).
                    """,
                isRequired: true
            )
        ],
        answers: [.ok("RichContentAnswer", "The content; it is the device's to keep.")],
        faults: [.forbidden, .notFound, .servedAlready]
    )

    private static let putMessageState = Operation(
        method: .put, path: "\(base)/client/messages/{messageId}/state", id: "putMessageState", area: .device,
        access: .linkedDevice, summary: "Say that a message was read or deleted",
        description: """
            Deleted goes over read, and read over unread, on whatever device and in whatever order it happened: what \
            is less than what is known changes nothing.
            """,
        body: Operation.Body("MessageStateRequest"), answers: [.done("It is known.")], faults: [.notFound]
    )

    private static let readBadge = Operation(
        method: .get, path: "\(base)/client/badge", id: "readBadge", area: .device, access: .linkedDevice,
        summary: "Read the device's badge", answers: [.ok("Badge", "The number, and how often it was changed.")]
    )

    private static let putBadge = Operation(
        method: .put, path: "\(base)/client/badge", id: "putBadge", area: .device, access: .linkedDevice,
        summary: "Set the device's badge",
        description: """
            Above the app's maximum it becomes the maximum. The same count and revision as the last ones change nothing.
            """,
        body: Operation.Body("BadgeRequest"), answers: [.ok("Badge", "As it is now.")]
    )

    private static let readInbox = Operation(
        method: .get, path: "\(base)/inbox", id: "readInbox", area: .device, access: .linkedDevice,
        summary: "Fetch the inbox, as clients of version 3 read it",
        description: "The same messages as the message centres have.",
        answers: [.ok("InboxAnswer", "The newest over all enabled centres, the newest first.")]
    )
}
