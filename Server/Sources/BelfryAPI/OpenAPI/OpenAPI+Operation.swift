import BelfryWire

extension OpenAPI {
    /// One method at one address.
    struct Operation: Hashable, Sendable {
        enum Method: String, Hashable, Sendable {
            case get, put, post, delete
        }

        let method: Method
        let path: String
        /// Unique; what generated clients call it.
        let id: String
        let area: Area
        let access: Access
        let summary: String
        var description: String?
        /// Those that no other operation has; the parts of the path and the common headers come by themselves.
        var parameters: [Parameter] = []
        var body: Body?
        let answers: [Answer]
        /// Beside those that every operation with this access and method may give, or in their place.
        var faults: Set<Fault> = []
        /// Whether it is another spelling, kept for clients that use it.
        var isAlias = false

        /// What a request says.
        struct Body: Hashable, Sendable {
            let schema: Schema
            let isRequired: Bool

            /// - Parameter schema: its name.
            init(_ schema: String, isRequired: Bool = true) {
                self.schema = .reference(schema)
                self.isRequired = isRequired
            }

            var tree: JSONTree {
                .members([
                    "required": isRequired ? .boolean(true) : nil,
                    "content": .object(["application/json": .object(["schema": schema.tree])]),
                ])
            }
        }

        /// The same operation at another address.
        func alias(path: String, id: String) -> Operation {
            Operation(
                method: method, path: path, id: id, area: area, access: access, summary: summary,
                description: "Another spelling of `\(self.id)`.", parameters: parameters, body: body,
                answers: answers, faults: faults, isAlias: true
            )
        }
    }
}

extension OpenAPI.Operation {
    var tree: JSONTree {
        .members([
            "operationId": .string(id),
            "tags": .strings([area.rawValue]),
            "summary": .string(summary),
            "description": description.map { JSONTree.string($0) },
            "deprecated": isAlias ? .boolean(true) : nil,
            "security": access.tree,
            "parameters": allParameters.isEmpty ? nil : .list(allParameters),
            "requestBody": body?.tree,
            "responses": responses,
        ])
    }

    private var allParameters: [JSONTree] {
        let names = pathParameters + headerParameters
        let shared = names.map { JSONTree.object(["$ref": .string("#/components/parameters/\($0)")]) }
        return shared + parameters.map(\.tree)
    }

    /// The names in braces.
    private var pathParameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    private var headerParameters: [String] {
        if access.isDevice {
            return [HeaderNames.clientID, HeaderNames.clientState, HeaderNames.requestOrder, HeaderNames.clientTime]
        }
        return access.isAdmin && method != .get ? [HeaderNames.idempotencyKey] : []
    }

    private var responses: JSONTree {
        var all: [String: JSONTree] = [:]
        // Of two with one status the operation's own says more.
        for fault in Array(commonFaults) + Array(faults) {
            all[String(fault.status)] = .object(["$ref": .string("#/components/responses/\(fault.rawValue)")])
        }
        for answer in answers { all[String(answer.status)] = answer.tree(headers: answerHeaders) }
        return .object(all)
    }

    private var answerHeaders: [String] {
        if access.isDevice { return [HeaderNames.clientState] }
        return access.isAdmin && method != .get ? [OpenAPI.Header.replayed] : []
    }

    /// What any operation with this access and method may answer.
    private var commonFaults: Set<OpenAPI.Fault> {
        // What stands before the routes says no of itself.
        let ofConnection: Set<OpenAPI.Fault> = [.headersTooLarge, .unknownExpectation]
        var faults: Set<OpenAPI.Fault>
        switch access {
        case .open: return ofConnection
        case .device, .deviceWithTokenIfAny: faults = [.badRequest, .erased]
        case .linkedDevice: faults = [.badRequest, .erased, .tokenRefused]
        case .admin: faults = [.badRequest, .keyRefused, .forbidden]
        }
        faults.formUnion(ofConnection.union([.tooMany, .internalFault, .unavailable]))
        guard method != .get else { return faults }
        faults.formUnion([.tooSlow, .tooLarge, .unsupportedType])
        // An Idempotency-Key that is busy, or was used for another request.
        if access.isAdmin { faults.formUnion([.conflict, .unprocessable]) }
        return faults
    }
}
