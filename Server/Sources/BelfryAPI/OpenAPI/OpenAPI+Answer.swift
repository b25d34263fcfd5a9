extension OpenAPI {
    /// A success.
    struct Answer: Hashable, Sendable {
        let status: Int
        let description: String
        /// nil: the answer has no body.
        var schema: Schema?
        var mediaType = "application/json"

        func tree(headers: [String]) -> JSONTree {
            .members([
                "description": .string(description),
                "headers": Header.references(headers),
                "content": schema.map { schema in
                    JSONTree.object([mediaType: .object(["schema": schema.tree])])
                },
            ])
        }
    }
}

extension OpenAPI.Answer {
    /// 200 with a body that has a name.
    static func ok(_ schema: String, _ description: String) -> Self {
        Self(status: 200, description: description, schema: .reference(schema))
    }

    static func created(_ schema: String, _ description: String) -> Self {
        Self(status: 201, description: description, schema: .reference(schema))
    }

    static func accepted(_ schema: String, _ description: String) -> Self {
        Self(status: 202, description: description, schema: .reference(schema))
    }

    /// 204.
    static func done(_ description: String) -> Self {
        Self(status: 204, description: description)
    }
}
