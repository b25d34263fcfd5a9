/// A successful response.
struct OperationResponse: Sendable {
    let status: Int
    let description: String
    /// Nil: the response has no body.
    var schema: JSONSchema?
    var mediaType = "application/json"

    func tree(headers: [String]) -> JSONTree {
        .members([
            "description": .string(description),
            "headers": ResponseHeader.references(headers),
            "content": schema.map { schema in
                JSONTree.object([mediaType: .object(["schema": schema.tree])])
            },
        ])
    }
}

extension OperationResponse {
    /// A 200 with a body.
    static func ok(_ body: any Described.Type, _ description: String) -> Self {
        Self(status: 200, description: description, schema: .of(body))
    }

    static func created(_ body: any Described.Type, _ description: String) -> Self {
        Self(status: 201, description: description, schema: .of(body))
    }

    static func accepted(_ body: any Described.Type, _ description: String) -> Self {
        Self(status: 202, description: description, schema: .of(body))
    }

    /// A 204 without a body.
    static func done(_ description: String) -> Self {
        Self(status: 204, description: description)
    }
}
