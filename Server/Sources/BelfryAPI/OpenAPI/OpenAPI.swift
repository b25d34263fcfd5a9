import BelfryWire

/// A description of operations and of the types that they refer to, in OpenAPI 3.1 (WIRE-28).
///
/// Tests compare the descriptions of both APIs with what the wire types encode, and with every response that a test of
/// the API receives. So a field that is missing in a schema, or that no longer exists, fails a test.
struct OpenAPI: Sendable {
    /// Every type that an operation refers to, and those that its schema refers to.
    let described: [any Described.Type]
    /// Every named schema.
    let schemas: [String: JSONSchema]
    /// The document that is served.
    let document: JSONTree

    init(of operations: [APIOperation]) {
        var found: [any Described.Type] = []
        let parts = OperationParameter.shared.values.flatMap(\.schema.uses)
        var waiting = operations.flatMap(\.uses) + parts + [ErrorBody.self]
        while let type = waiting.popLast() {
            guard !found.contains(where: { $0 == type }) else { continue }
            found.append(type)
            waiting += type.schema.uses
        }
        described = found
        schemas = found.reduce(into: [:]) { $0[$1.schemaName] = $1.schema }
        document = .object([
            "openapi": .string("3.1.0"),
            "info": .object([
                "title": .string("Belfry"),
                "version": .string("1"),
                "description": .string(Self.introduction),
            ]),
            "tags": .list(OperationArea.allCases.map(\.tree)),
            "paths": Self.paths(operations),
            "components": Self.components(schemas),
        ])
    }

    private static let introduction = """
        The device API (`/v3/apps/{appCode}`, for SDKs) and the admin API (`/api/v1`, for operators and marketers) of \
        Belfry.

        JSON is UTF-8. In a request body null counts as absent, except in settings; responses contain no null. \
        Unknown fields are ignored by the device API, and rejected by name in campaigns and settings. Every response \
        that is not a success has an `Error` as its body. Every response has `Cache-Control: no-store` and \
        `X-Content-Type-Options: nosniff`. Dates are ISO 8601 with an offset; in responses they are in UTC with \
        milliseconds. Lengths are counted in characters as people see them. A body may be compressed with gzip or \
        deflate (`Content-Encoding`). `HEAD` is supported wherever `GET` is, except for rich content, which is served \
        once.
        """

    private static func paths(_ operations: [APIOperation]) -> JSONTree {
        let byPath = Dictionary(grouping: operations, by: \.path)
        return .object(byPath.mapValues(methods))
    }

    private static func methods(_ operations: [APIOperation]) -> JSONTree {
        let byMethod = Dictionary(grouping: operations, by: \.method.rawValue)
        return .object(byMethod.compactMapValues { $0.first?.tree })
    }

    private static func components(_ schemas: [String: JSONSchema]) -> JSONTree {
        .object([
            "schemas": .object(schemas.mapValues(\.tree)),
            "parameters": .object(OperationParameter.shared.mapValues(\.tree)),
            "headers": .object(ResponseHeader.all.mapValues(\.tree)),
            "responses": .object(errors),
            "securitySchemes": securitySchemes,
        ])
    }

    private static let errors: [String: JSONTree] = Dictionary(
        uniqueKeysWithValues: OperationErrorResponse.allCases.map { ($0.rawValue, $0.tree) }
    )

    private static let securitySchemes: JSONTree = .object([
        OperationAccess.contactToken: .object([
            "type": .string("apiKey"),
            "in": .string("header"),
            "name": .string("X-Contact-Token"),
            "description": .string(
                "The contact token of a link: signed, for this app and device, and valid for about eight hours."
            ),
        ]),
        OperationAccess.adminKey: .object([
            "type": .string("http"),
            "scheme": .string("bearer"),
            "description": .string(
                """
                An admin key. Each operation names the scope that the key needs. The key of an app is valid only for \
                that app, the root key for every app.
                """
            ),
        ]),
    ])
}
