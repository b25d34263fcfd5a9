extension OpenAPI {
    /// The admin API: the message centres of an app.
    static let messageCenterOperations: [Operation] = [
        listMessageCenters, putMessageCenter, deleteMessageCenter,
    ]

    private static let listMessageCenters = Operation(
        method: .get, path: "\(app)/message-centers", id: "listMessageCenters", area: .apps, access: .admin(.read),
        summary: "List the message centres",
        answers: [.ok("MessageCenterListAnswer", "All of them, the primary one first.")], faults: [.notFound]
    )

    private static let putMessageCenter = Operation(
        method: .put, path: "\(app)/message-centers/{center}", id: "putMessageCenter", area: .apps,
        access: .admin(.admin), summary: "Make a message centre, or change it",
        description: "What is absent stays. An app has at most four beside the primary one; a fifth is a conflict.",
        body: Operation.Body("MessageCenterChange"),
        answers: [.ok("MessageCenterDefinition", "As it is now.")], faults: [.notFound]
    )

    private static let deleteMessageCenter = Operation(
        method: .delete, path: "\(app)/message-centers/{center}", id: "deleteMessageCenter", area: .apps,
        access: .admin(.admin), summary: "Delete a message centre",
        description: """
            Its messages are kept, and hidden until a centre of its name is made again. The primary centre, and one \
            that a scheduled, sending or paused campaign fills, are a conflict.
            """,
        answers: [.done("It is gone.")], faults: [.notFound]
    )
}
