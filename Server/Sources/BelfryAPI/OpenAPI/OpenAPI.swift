/// The description of both APIs in OpenAPI 3.1 (WIRE-28), written beside the routes.
///
/// Tests hold it against the router's table, against what the wire types encode, and against every answer that any
/// test of the API receives. So a route or a field that is missing here, or is not there any more, is a failed test.
enum OpenAPI {
    /// The document as it is served.
    static let document: JSONTree = .object([
        "openapi": .string("3.1.0"),
        "info": .object([
            "title": .string("Belfry"),
            "version": .string("1"),
            "description": .string(introduction),
        ]),
        "tags": .list(Area.allCases.map(\.tree)),
        "paths": paths(operations),
        "components": components,
    ])

    /// Every operation of both APIs.
    static let operations: [Operation] = Array(operationsByArea.joined())

    private static let operationsByArea: [[Operation]] = [
        deviceOperations, inboxOperations, inAppOperations, appOperations, messageCenterOperations,
        credentialOperations, campaignOperations, trialOperations, peopleOperations, quarantineOperations,
        serviceOperations,
    ]

    /// Every schema that has a name.
    static let schemas: [String: Schema] = schemasByArea.reduce(into: [:]) { all, area in
        all.merge(area) { first, _ in first }
    }

    /// No name stands in two of them.
    static let schemasByArea: [[String: Schema]] = [
        errorSchemas, valueSchemas, deviceSchemas, registrationSchemas, eventSchemas, inboxSchemas, appSchemas,
        credentialSchemas, settingsSchemas, campaignSchemas, scheduleSchemas, trialSchemas, pushSchemas,
        messageSchemas, inAppSchemas, inAppSyncSchemas, overlaySchemas, peopleSchemas, quarantineSchemas,
    ]

    private static let introduction = """
        The device API (`/v3/apps/{appCode}`, for SDKs) and the admin API (`/api/v1`, for operators and marketers) of \
        Belfry.

        JSON is UTF-8. An explicit null in a body counts as absent, but for settings; none is ever answered. Unknown \
        fields of the device API are ignored; those of campaigns and settings are refused by name. Every answer that \
        is not a success has an `Error` as its body. Every answer has `Cache-Control: no-store` and \
        `X-Content-Type-Options: nosniff`. Dates are ISO 8601 with a zone, in answers in UTC with milliseconds. \
        Lengths are counted in characters as people see them. A body may come as gzip or deflate \
        (`Content-Encoding`). `HEAD` is answered wherever `GET` is, but for rich content, which is served once.
        """

    private static func paths(_ operations: [Operation]) -> JSONTree {
        let byPath = Dictionary(grouping: operations, by: \.path)
        return .object(byPath.mapValues(methods))
    }

    private static func methods(_ operations: [Operation]) -> JSONTree {
        let byMethod = Dictionary(grouping: operations, by: \.method.rawValue)
        return .object(byMethod.compactMapValues { $0.first?.tree })
    }

    private static let components: JSONTree = .object([
        "schemas": .object(schemas.mapValues(\.tree)),
        "parameters": .object(parameters.mapValues(\.tree)),
        "headers": .object(Header.all.mapValues(\.tree)),
        "responses": .object(faults),
        "securitySchemes": securitySchemes,
    ])

    private static let faults: [String: JSONTree] = Dictionary(
        uniqueKeysWithValues: Fault.allCases.map { ($0.rawValue, $0.tree) }
    )

    private static let securitySchemes: JSONTree = .object([
        Access.contactToken: .object([
            "type": .string("apiKey"),
            "in": .string("header"),
            "name": .string("X-Contact-Token"),
            "description": .string(
                "The contact token of a link: signed, for this app and device, and valid for about eight hours."
            ),
        ]),
        Access.adminKey: .object([
            "type": .string("http"),
            "scheme": .string("bearer"),
            "description": .string(
                """
                An admin key. Each operation names the scope that the key must have; the key of an app serves that \
                app only, the root key every app.
                """
            ),
        ]),
    ])
}
