import BelfryWire

extension OpenAPI {
    /// The device API: in-app messages.
    static let inAppOperations: [Operation] = [
        syncInAppMessages, readInlineMessages, readInlineMessagesOfVersion4,
    ]

    private static let syncInAppMessages = Operation(
        method: .get, path: "/v3/apps/{appCode}/client/in-app-messages", id: "syncInAppMessages", area: .device,
        access: .linkedDevice, summary: "Fetch what has changed of the in-app messages",
        description: """
            The messages that the device has not, or has in another version, and those that it is to remove. Nothing \
            that it has is ever in `recalled` without a reason: its campaign was recalled, or the device has left the \
            audience before it showed the message. A cursor of another device, of another contact or of no server is \
            as none: all messages come.
            """,
        parameters: [
            Parameter(
                name: "since", place: .query, schema: .string(0...8_192),
                description: "The cursor of the last answer that the device has applied whole."
            )
        ],
        answers: [.ok("InAppSyncAnswer", "What has changed.")]
    )

    private static let readInlineMessages = Operation(
        method: .post, path: "/v3/apps/{appCode}/inline-messages", id: "readInlineMessages", area: .device,
        access: .linkedDevice, summary: "Read the inline messages for places in the app",
        description:
            "For clients of version 3, which keep no messages. A place without a message is not in the answer.",
        body: Operation.Body("InlineMessagesRequest"), answers: inlineAnswers
    )

    private static let readInlineMessagesOfVersion4 = Operation(
        method: .post, path: "/v4/apps/{appCode}/inline-messages", id: "readInlineMessagesOfVersion4", area: .device,
        access: .linkedDevice, summary: "Read the inline messages, at the address of version 4",
        description: "As `readInlineMessages`; the clients of version 3 use this address.",
        body: Operation.Body("InlineMessagesRequest"), answers: inlineAnswers
    )

    private static let inlineAnswers: [Answer] = [.ok("InlineMessagesAnswer", "At most one message for each place.")]
}
