extension OpenAPI {
    /// The admin API: work that is set aside.
    static let quarantineOperations: [Operation] = [listQuarantine, retryWork, dropWork]

    private static let listQuarantine = Operation(
        method: .get, path: "/api/v1/quarantine", id: "listQuarantine", area: .service, access: .admin(.read),
        summary: "List the work that is set aside",
        description: """
            What was begun alone three times and failed, or ended the process, each time: the newest first. The key of \
            an app sees what belongs to that app.
            """,
        parameters: page(
            standard: QuarantineController.standardPage, maximum: QuarantineController.maximumPage
        ),
        answers: [.ok("QuarantineAnswer", "One page.")]
    )

    private static let retryWork = Operation(
        method: .post, path: "/api/v1/quarantine/{work}/retry", id: "retryWork", area: .service,
        access: .admin(.admin), summary: "Try work again that is set aside",
        description: "It is worked on alone, and its attempts count from the beginning. A campaign goes on.",
        answers: [.done("It waits for its turn.")], faults: [.notFound]
    )

    private static let dropWork = Operation(
        method: .delete, path: "/api/v1/quarantine/{work}", id: "dropWork", area: .service,
        access: .admin(.admin), summary: "Give work up that is set aside",
        description: """
            Messages of a batch that are pending end as rejected (`quarantined`), a campaign whose planning is dropped \
            is cancelled, a silent push is not sent, a registration stays refused. A step of the upkeep is a conflict.
            """,
        answers: [.done("It is gone.")], faults: [.notFound]
    )
}
