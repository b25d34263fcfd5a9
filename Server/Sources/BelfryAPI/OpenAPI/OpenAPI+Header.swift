import BelfryWire

extension OpenAPI {
    /// A header of an answer.
    struct Header: Hashable, Sendable {
        let schema: Schema
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

        /// The headers that answers refer to by name.
        static let all: [String: Header] = [
            HeaderNames.clientState: Header(
                schema: .string(), description: "The device stores it and sends it back with its next call."
            ),
            retryAfter: Header(schema: .integer(0...86_400), description: "Seconds to wait before the next try."),
            authenticate: Header(schema: .word(["Bearer"]), description: "An admin key is asked for."),
            replayed: Header(
                schema: .word(["true"]), description: "The answer was given before, to the same Idempotency-Key.",
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
}
