import BelfryWire
import Hummingbird

/// One method at one address.
struct APIOperation: Sendable {
    enum Method: String, Hashable, Sendable {
        case get, put, post, delete

        var http: HTTPRequest.Method {
            switch self {
            case .get: .get
            case .put: .put
            case .post: .post
            case .delete: .delete
            }
        }
    }

    let method: Method
    let path: String
    /// Unique; what generated clients call it.
    let id: String
    let area: OperationArea
    let access: OperationAccess
    let summary: String
    var description: String?
    /// Those that no other operation has; the parts of the path and the common headers come by themselves.
    var parameters: [OperationParameter] = []
    var body: Body?
    let responses: [OperationResponse]
    /// Beside those that every operation with this access and method may give, or in their place.
    var errors: Set<OperationErrorResponse> = []
    /// Whether it is another spelling, kept for clients that use it.
    var isAlias = false
    /// Whether what it answers is used up by it: a `HEAD`, which would give nothing, is refused.
    var isServedOnce = false
    /// Whether it says nothing of the device: the state comes back only if one was sent.
    var isStateless = false
    /// Whether it writes and is accepted all the same while the store's disk is below the floor (SEC-9): it reads,
    /// refreshes a token, changes an existing row, removes something or ends work.
    var isAcceptedOnFullDisk = false

    /// What a request says.
    struct Body: Sendable {
        let schema: JSONSchema
        let isRequired: Bool

        init(_ type: any Described.Type, isRequired: Bool = true) {
            schema = .of(type)
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
    func alias(path: String, id: String) -> APIOperation {
        APIOperation(
            method: method, path: path, id: id, area: area, access: access, summary: summary,
            description: "An alias of `\(self.id)`.", parameters: parameters, body: body,
            responses: responses, errors: errors, isAlias: true, isAcceptedOnFullDisk: isAcceptedOnFullDisk
        )
    }
}

extension APIOperation {
    /// As the router has it: `/api/v1/apps/:app`.
    var routerPath: RouterPath {
        let parts = path.split(separator: "/").map { $0.hasPrefix("{") ? ":\($0.dropFirst().dropLast())" : String($0) }
        return RouterPath("/" + parts.joined(separator: "/"))
    }

    /// The types that it speaks of.
    var uses: [any Described.Type] {
        (body?.schema.uses ?? []) + responses.flatMap { $0.schema?.uses ?? [] } + parameters.flatMap(\.schema.uses)
    }

    /// Whether it may change something by an admin key: then it may carry an `Idempotency-Key`. What needs no scope but
    /// `read` changes nothing, whatever its method.
    var isWriteOfAdmin: Bool {
        access.isAdmin && access != .admin(.read) && method != .get
    }

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
            "responses": responsesTree,
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
        return isWriteOfAdmin ? [HeaderNames.idempotencyKey] : []
    }

    private var responsesTree: JSONTree {
        var all: [String: JSONTree] = [:]
        // Of two with one status the operation's own says more.
        for error in Array(commonErrors) + Array(errors) {
            all[String(error.status)] = .object(["$ref": .string("#/components/responses/\(error.rawValue)")])
        }
        for response in responses { all[String(response.status)] = response.tree(headers: responseHeaders) }
        return .object(all)
    }

    private var responseHeaders: [String] {
        if access.isDevice { return isStateless ? [] : [HeaderNames.clientState] }
        return isWriteOfAdmin ? [ResponseHeader.replayed] : []
    }

    /// What any operation with this access and method may answer.
    private var commonErrors: Set<OperationErrorResponse> {
        // What stands before the routes says no of itself.
        let ofConnection: Set<OperationErrorResponse> = [.headersTooLarge, .unknownExpectation]
        var errors: Set<OperationErrorResponse>
        switch access {
        case .open: return ofConnection
        case .device, .deviceWithOptionalToken: errors = [.badRequest, .erased]
        case .linkedDevice: errors = [.badRequest, .erased, .tokenRefused]
        case .admin: errors = [.badRequest, .keyRefused, .forbidden]
        }
        errors.formUnion(ofConnection.union([.tooMany, .internalError, .unavailable]))
        guard method != .get else { return errors }
        errors.formUnion([.tooSlow, .tooLarge, .unsupportedType])
        // An Idempotency-Key that is busy, or was used for another request; what is tried has faults of its own.
        if access.isAdmin { errors.formUnion([.conflict, .unprocessable]) }
        return errors
    }
}

/// What an operation belongs to: a tag of the description.
enum OperationArea: String, Hashable, Sendable, CaseIterable {
    case device
    case apps
    case campaigns
    case people
    case users
    case service

    var tree: JSONTree {
        .object(["name": .string(rawValue), "description": .string(description)])
    }

    private var description: String {
        switch self {
        case .device: "For SDKs, on behalf of one installation of an app."
        case .apps: "Apps, their settings, attributes and credentials."
        case .campaigns: "Campaigns, from the draft to the end."
        case .users: "People who sign in to the console, and their roles."
        case .people: "Devices, their events, contacts, and why a device did or did not get a campaign."
        case .service: "Health, metrics, quarantined work and this description."
        }
    }
}
