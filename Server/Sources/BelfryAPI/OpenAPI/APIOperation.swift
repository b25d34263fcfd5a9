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
    /// The operation's unique id; generated clients use it as a name.
    let id: String
    let area: OperationArea
    let access: OperationAccess
    let summary: String
    var description: String?
    /// The parameters besides those of the path and the common headers, which are added automatically.
    var parameters: [OperationParameter] = []
    var body: Body?
    let responses: [OperationResponse]
    /// The errors besides those of every operation with this access and method. One with the same status replaces the
    /// common one.
    var errors: Set<OperationErrorResponse> = []
    /// Whether this is another address of an operation, kept for clients that use it.
    var isAlias = false
    /// Whether a call uses up what it returns. A `HEAD` would do so and return nothing, so it is rejected.
    var isServedOnce = false
    /// Whether the response says nothing about the device: it has the client state only if the request had one.
    var isStateless = false
    /// Whether the operation writes but is accepted while the store's disk is below the floor (SEC-9): it reads,
    /// refreshes a token, changes an existing row, removes something or ends work.
    var isAcceptedOnFullDisk = false

    /// The body of a request.
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
    /// The path in the router's notation: `/api/v1/apps/:app`.
    var routerPath: RouterPath {
        let parts = segments.map { Self.isName($0) ? ":\($0.dropFirst().dropLast())" : String($0) }
        return RouterPath("/" + parts.joined(separator: "/"))
    }

    /// The types that the operation refers to.
    var uses: [any Described.Type] {
        (body?.schema.uses ?? []) + responses.flatMap { $0.schema?.uses ?? [] } + parameters.flatMap(\.schema.uses)
    }

    /// Whether the operation may change something with an admin key, so that it accepts an `Idempotency-Key`. An
    /// operation of the scope `read` changes nothing, whatever its method.
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

    /// The names in braces in the path.
    private var pathParameters: [String] {
        segments.filter(Self.isName).map { String($0.dropFirst().dropLast()) }
    }

    private var segments: [Substring] { path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) } }

    /// Whether a segment is a name in braces.
    private static func isName(_ segment: Substring) -> Bool { segment.utf8.first == UInt8(ascii: "{") }

    private var headerParameters: [String] {
        if access.isDevice {
            return [HeaderNames.clientID, HeaderNames.clientState, HeaderNames.requestOrder, HeaderNames.clientTime]
        }
        return isWriteOfAdmin ? [HeaderNames.idempotencyKey] : []
    }

    private var responsesTree: JSONTree {
        var all: [String: JSONTree] = [:]
        // Among errors with the same status, the operation's own is the more specific one.
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

    /// The errors of every operation with this access and method.
    private var commonErrors: Set<OperationErrorResponse> {
        // Any request can be rejected with these before it reaches a route.
        let ofConnection: Set<OperationErrorResponse> = [.headersTooLarge, .unknownExpectation]
        var errors: Set<OperationErrorResponse>
        switch access {
        case .open: return ofConnection
        case .device, .deviceWithOptionalToken: errors = [.badRequest, .erased]
        case .linkedDevice: errors = [.badRequest, .erased, .tokenRejected]
        case .admin: errors = [.badRequest, .keyRejected, .forbidden]
        }
        errors.formUnion(ofConnection.union([.tooMany, .internalError, .unavailable]))
        guard method != .get else { return errors }
        errors.formUnion([.tooSlow, .tooLarge, .unsupportedType])
        // An Idempotency-Key that is in use, or was used for another request; and errors in the content of the request.
        if access.isAdmin { errors.formUnion([.conflict, .unprocessable]) }
        return errors
    }
}

/// The area of an operation: a tag of the description.
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
