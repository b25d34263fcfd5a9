extension OpenAPI {
    /// The admin API: apps, their settings and attributes.
    static let appOperations: [Operation] = [
        createApp, listApps, readSettings, changeSettings, listAttributes, defineAttribute,
    ]

    /// Where everything of one app lies.
    static let app = "/api/v1/apps/{app}"

    private static let createApp = Operation(
        method: .post, path: "/api/v1/apps", id: "createApp", area: .apps, access: .admin(.admin),
        summary: "Make an app", description: "The root key only.",
        body: Operation.Body("CreateAppRequest"),
        answers: [.created("CreateAppAnswer", "The app, and the key that serves it.")]
    )

    private static let listApps = Operation(
        method: .get, path: "/api/v1/apps", id: "listApps", area: .apps, access: .admin(.read),
        summary: "List the apps", description: "In the order in which they were made; the key of an app sees that one.",
        parameters: page(standard: AppController.standardPage, maximum: AppController.maximumPage),
        answers: [.ok("AppListAnswer", "One page.")]
    )

    private static let readSettings = Operation(
        method: .get, path: "\(app)/settings", id: "readSettings", area: .apps, access: .admin(.read),
        summary: "Read the settings", answers: [.ok("AppSettingsAnswer", "What holds, defaults included.")],
        faults: [.notFound]
    )

    private static let changeSettings = Operation(
        method: .put, path: "\(app)/settings", id: "changeSettings", area: .apps, access: .admin(.admin),
        summary: "Change settings",
        description: "What is absent stays; null brings a default back. One bad field, and nothing is changed.",
        body: Operation.Body("AppSettingsChange"),
        answers: [.ok("AppSettingsAnswer", "What holds now, defaults included.")], faults: [.notFound]
    )

    private static let listAttributes = Operation(
        method: .get, path: "\(app)/attributes", id: "listAttributes", area: .apps, access: .admin(.read),
        summary: "List the attributes", answers: [.ok("AttributeListAnswer", "All of them, by name.")],
        faults: [.notFound]
    )

    private static let defineAttribute = Operation(
        method: .put, path: "\(app)/attributes/{key}", id: "defineAttribute", area: .apps, access: .admin(.admin),
        summary: "Define an attribute, or change its type",
        description:
            "An app has at most 500. 409 when a campaign that waits to be sent could not be with the new type.",
        body: Operation.Body("DefineAttributeRequest"),
        answers: [.ok("AttributeAnswer", "It is defined.")], faults: [.notFound]
    )
}
