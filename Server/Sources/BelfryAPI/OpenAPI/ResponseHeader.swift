import BelfryWire

/// A header of a response.
struct ResponseHeader: Sendable {
    let schema: JSONSchema
    let description: String
    var isAlwaysThere = true

    var tree: JSONTree {
        .members([
            "schema": schema.tree,
            "description": .string(description),
            "required": isAlwaysThere ? .boolean(true) : nil,
        ])
    }

    static let retryAfter = "Retry-After"
    static let authenticate = "WWW-Authenticate"
    static let replayed = "Idempotency-Replayed"

    /// The headers that responses refer to by name.
    static let all: [String: ResponseHeader] = [
        HeaderNames.clientState: ResponseHeader(
            schema: .string(), description: "The device stores it and sends it with its next request."
        ),
        retryAfter: ResponseHeader(
            schema: .integer(0...86_400), description: "Seconds to wait before the next attempt."
        ),
        authenticate: ResponseHeader(schema: .word(["Bearer"]), description: "An admin key is required."),
        replayed: ResponseHeader(
            schema: .word(["true"]), description: "The response was sent before, for the same Idempotency-Key.",
            isAlwaysThere: false
        ),
    ]

    /// References to the headers with these names.
    static func references(_ names: [String]) -> JSONTree? {
        guard !names.isEmpty else { return nil }
        return .object(
            Dictionary(
                uniqueKeysWithValues: names.map { name in
                    (name, JSONTree.object(["$ref": .string("#/components/headers/\(name)")]))
                })
        )
    }
}
