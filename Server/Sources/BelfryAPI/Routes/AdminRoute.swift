import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// A call of the admin API as one value (ADM-2): its address, the scope that it requires, its name in the audit log,
/// its request and response, and its action. The router, the description and the command line are built from it.
package struct AdminRoute<RequestBody: Sendable, ResponseBody: Sendable>: Sendable {
    let route: Route<AdminRequestContext>

    /// - Parameters:
    ///   - path: the path after `/api/v1`.
    ///   - response: the description of the response.
    init(
        _ verb: AdminVerb, _ path: String, id: String, _ area: OperationArea, scope: AdminScope, summary: String,
        description: String? = nil, parameters: [OperationParameter] = [], response: String,
        status: HTTPResponse.Status = .ok, errors: Set<OperationErrorResponse> = [], isAcceptedOnFullDisk: Bool = false,
        does work: @escaping @Sendable (AdminCall<RequestBody>) async throws -> Done<ResponseBody>
    ) where RequestBody: Described, ResponseBody: Described & Encodable {
        let status = ResponseBody.self == NoBody.self ? .noContent : status
        let operation = APIOperation(
            method: verb.method, path: "/api/v1" + path, id: id, area: area, access: .admin(scope), summary: summary,
            description: description, parameters: parameters,
            body: RequestBody.self == NoBody.self ? nil : APIOperation.Body(RequestBody.self),
            responses: [
                OperationResponse(
                    status: status.code, description: response,
                    schema: ResponseBody.self == NoBody.self ? nil : .of(ResponseBody.self)
                )
            ],
            errors: errors, isAcceptedOnFullDisk: isAcceptedOnFullDisk
        )
        let keys = RequestBody.schema.isClosed ? KnownKeys(of: RequestBody.self) : nil
        route = Route(operation) { services in
            { request, context in
                try context.principal.require(scope)
                let call = AdminCall<RequestBody>(request: request, context: context, services: services, keys: keys)
                let done = try await Self.audited(verb, call, work)
                return switch done.end {
                case .response where ResponseBody.self == NoBody.self: Response(status: status)
                case .response(let response): try Response.json(response, status: status)
                case .json(let bytes): Response.json(bytes: bytes, status: status)
                case .stream(let body): Response.json(streaming: body, status: status)
                case .error(let error): throw error
                }
            }
        }
    }

    /// A call that concerns one app: the app is looked up, and the key must be valid for it.
    ///
    /// - Parameter path: the path after `/api/v1/apps/{app}`.
    init(
        _ verb: AdminVerb, inApp path: String, id: String, _ area: OperationArea, scope: AdminScope, summary: String,
        description: String? = nil, parameters: [OperationParameter] = [], response: String,
        status: HTTPResponse.Status = .ok, errors: Set<OperationErrorResponse> = [], isAcceptedOnFullDisk: Bool = false,
        does work: @escaping @Sendable (AdminCall<RequestBody>, AppService.App) async throws -> Done<ResponseBody>
    ) where RequestBody: Described, ResponseBody: Described & Encodable {
        self.init(
            verb, "/apps/{app}" + path, id: id, area, scope: scope, summary: summary, description: description,
            parameters: parameters, response: response, status: status, errors: errors.union([.notFound]),
            isAcceptedOnFullDisk: isAcceptedOnFullDisk
        ) { call in
            let app = try await call.services.apps.find(call.part("app"))
            try call.context.principal.require(scope, app: app)
            var done = try await work(call, app)
            done.app = app.code
            return done
        }
    }
}

extension AdminRoute {
    /// Performs the call, and records it in the audit log if it may change something.
    private static func audited(
        _ verb: AdminVerb, _ call: AdminCall<RequestBody>,
        _ work: @Sendable (AdminCall<RequestBody>) async throws -> Done<ResponseBody>
    ) async throws -> Done<ResponseBody> {
        guard let action = verb.audit else { return try await work(call) }
        // The log entry has what the address says from the beginning, and the rest once it is known.
        let app = call.context.parameters.get("app").flatMap { try? AppCode($0) }
        let target = verb.target?.text { try? call.part($0) }
        return try await call.services.access.auditing(action, by: call.context.principal, app: app, target: target) {
            try await work(call)
        } as: { done in
            .done(app: done.app, target: done.target)
        }
    }

    /// The method in HTTP's spelling.
    package var method: String { route.operation.method.rawValue.uppercased() }

    /// The address of a call.
    ///
    /// - Parameter parts: the percent-encoded values for the names in braces, in their order.
    package func address(_ parts: [String]) -> String {
        var parts = parts[...]
        return route.operation.path.utf8.split(separator: UInt8(ascii: "/")).reduce(into: "") { address, part in
            address += "/" + (part.first == UInt8(ascii: "{") ? parts.popFirst() ?? "" : String(Substring(part)))
        }
    }
}

/// The method of an admin call. The audit log records writes under the word in `audit`, and reads as "read".
enum AdminVerb {
    case get
    case put(audit: String, to: AuditTarget? = nil)
    case post(audit: String, to: AuditTarget? = nil)
    case delete(audit: String, to: AuditTarget? = nil)

    var method: APIOperation.Method {
        switch self {
        case .get: .get
        case .put: .put
        case .post: .post
        case .delete: .delete
        }
    }

    var audit: String? {
        switch self {
        case .get: nil
        case .put(let audit, _), .post(let audit, _), .delete(let audit, _): audit
        }
    }

    var target: AuditTarget? {
        switch self {
        case .get: nil
        case .put(_, let target), .post(_, let target), .delete(_, let target): target
        }
    }
}

/// The object that a call changes, where its address names it, so that the audit log has it before the call is
/// performed (ADM-1). Addresses name people and devices by keys, which must not stay in the log after an erasure
/// (ADM-4). For these, the log gets their numbers, which are known only later.
enum AuditTarget: Sendable {
    case campaign
    case adminKey
    case messageCenter
    case attribute
    case quarantinedWork
    case provider(PushProvider)

    /// The object's name for the log, whatever its spelling in the address; nil when no object can have that name.
    ///
    /// - Parameter part: returns a part of the address.
    func text(_ part: (String) -> String?) -> String? {
        switch self {
        case .campaign: part("id").flatMap { CampaignID($0) }?.description
        case .adminKey: part("adminKey")
        case .messageCenter: part("center").flatMap { try? MessageCenterName($0) }?.rawValue
        case .attribute: part("key").flatMap { try? AttributeKey($0) }?.rawValue
        case .quarantinedWork: part("work")
        case .provider(let provider): provider.rawValue
        }
    }
}

/// One call of the admin API.
struct AdminCall<RequestBody: Sendable>: Sendable {
    let request: Request
    let context: AdminRequestContext
    let services: APIServices
    /// The known keys of the body, if its schema is closed.
    let keys: KnownKeys?

    /// A part of the address.
    func part(_ name: String) throws(APIError) -> String {
        try context.pathParameter(name)
    }

    func page(_ limits: PageLimits) throws(APIError) -> PageQuery {
        try PageQuery(request, limits)
    }

    /// Runs work that may take long. Only a few such calls run at a time, and one whose caller has left is cancelled.
    func costlyRead<Output: Sendable>(_ work: @escaping @Sendable () async throws -> Output) async throws -> Output {
        try await services.previews.pass(context.principal) { try await context.peer.whileWaiting(work) }
    }
}

extension AdminCall where RequestBody: Decodable {
    /// The decoded body. If its schema is closed, unknown keys are rejected by name (ADM-3).
    ///
    /// - Parameter zone: the time zone of dates without an offset.
    func body(datesIn zone: DateZone? = nil) async throws -> RequestBody {
        try decoded(try await request.bodyBytes(), datesIn: zone)
    }

    /// Decodes the body and runs work that may take long. Only a few such calls run at a time. Decoding belongs to the
    /// work, because a short body may take long to decode. A caller who is still sending the body does not count.
    ///
    /// - Parameter zone: the time zone of dates without an offset.
    func costlyRead<Output: Sendable>(
        datesIn zone: DateZone? = nil, _ work: @escaping @Sendable (RequestBody) async throws -> Output
    ) async throws -> Output {
        let bytes = try await request.bodyBytes()
        return try await costlyRead { try await work(try decoded(bytes, datesIn: zone)) }
    }

    /// Runs a test send, which waits for a push service. Test sends and previews have separate limits. A test send
    /// continues when the caller leaves, because what has been sent cannot be cancelled: its place becomes free when
    /// everything is answered, the push services' responses are processed, and the audit log records it.
    func testSend<Output: Sendable>(_ work: (RequestBody) async throws -> Output) async throws -> Output {
        let bytes = try await request.bodyBytes()
        return try await services.testSends.pass(context.principal) { try await work(try decoded(bytes)) }
    }

    private func decoded(_ bytes: [UInt8], datesIn zone: DateZone? = nil) throws(APIError) -> RequestBody {
        if let keys {
            do {
                try JSONReader.check(bytes)
            } catch {
                throw APIError(error)
            }
            try keys.check(bytes)
        }
        return try JSONBody.decode(RequestBody.self, from: bytes, datesIn: zone)
    }
}

/// A body that is written piece by piece. Inside ``Done`` the library's name means another type.
typealias StreamedBody = ResponseBody

/// The result of a call.
struct Done<ResponseBody: Sendable>: Sendable {
    enum End: Sendable {
        case response(ResponseBody)
        /// The encoded response.
        case json([UInt8])
        /// The encoded response, written piece by piece, because it may be longer than memory permits.
        case stream(StreamedBody)
        /// Something was done, but not what was requested.
        case error(APIError)
    }

    let end: End
    /// The object of the call, for the audit log.
    let target: String?
    /// The app of the object, for the audit log.
    var app: AppCode?

    init(_ response: ResponseBody, to target: String? = nil, app: AppCode? = nil) {
        self.init(.response(response), to: target, app: app)
    }

    init(json: [UInt8], to target: String?) {
        self.init(.json(json), to: target)
    }

    /// - Parameter app: nil for a call that concerns one app, which is already known.
    init(streaming body: StreamedBody, to target: String?, app: AppCode? = nil) {
        self.init(.stream(body), to: target, app: app)
    }

    init(_ error: APIError, to target: String?, app: AppCode? = nil) {
        self.init(.error(error), to: target, app: app)
    }

    private init(_ end: End, to target: String? = nil, app: AppCode? = nil) {
        self.end = end
        self.target = target
        self.app = app
    }
}

extension Done<NoBody> {
    init(to target: String?, app: AppCode? = nil) {
        self.init(NoBody(), to: target, app: app)
    }
}
