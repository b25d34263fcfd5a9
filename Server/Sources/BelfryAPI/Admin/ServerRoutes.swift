import BelfryModel
import BelfryServices
import BelfryWire

/// The routes about the server itself, for operators (CLI-6).
package enum ServerRoutes {
    static let all = [readServer.route, readServerState.route]

    package static let readServerState = AdminRoute(
        .get, "/server/state", id: "readServerState", .service, scope: .admin, summary: "Read the state of the server",
        description:
            "What waits, what has stopped, the database and its disk. The key must belong to the whole server.",
        response: "The state."
    ) { (call: AdminCall<NoBody>) -> Done<ServerStateResponse> in
        guard call.context.principal.app == nil else {
            throw ServiceError.forbidden(code: ErrorCode.forbidden, message: "This key belongs to one app.")
        }
        return Done(try await ServerStateResponse(call.services))
    }

    package static let readServer = AdminRoute(
        .get, "/server", id: "readServer", .service, scope: .read, summary: "Read how the server sees this call",
        description: "Shows whether a proxy in front of the server is trusted to name its callers.",
        response: "The server's clock and its view of the caller."
    ) { (call: AdminCall<NoBody>) async throws -> Done<ServerViewResponse> in
        let peer = call.context.peer.address
        let forwardedFor = call.request.headers[.forwardedFor]
        let origin = call.services.limits.origin(peer: peer, forwardedFor: forwardedFor)
        return Done(
            ServerViewResponse(
                time: Timestamp.text(call.services.now()), peer: peer.text, isForwarded: forwardedFor != nil,
                isProxyTrusted: origin.isTrusted, caller: origin.caller.text
            )
        )
    }
}

/// `GET /api/v1/server`.
package struct ServerViewResponse: Hashable, Sendable, Codable {
    package var time: String
    /// The address of the connection's other end.
    package var peer: String
    /// Whether the request had `X-Forwarded-For`.
    package var isForwarded: Bool
    package var isProxyTrusted: Bool
    /// The address whose limits the call counts against.
    package var caller: String
}

extension ServerViewResponse: Described {
    static let schemaName = "ServerResponse"
    static let schema: JSONSchema = .object([
        "time": .of(Timestamp.self).described("By the server's clock."),
        "peer": .string().described("The address at the other end of the connection: the caller's, or a proxy's."),
        "isForwarded": .boolean.described("Whether the call came with X-Forwarded-For."),
        "isProxyTrusted": .boolean.described("Whether the peer is one of the trusted proxies."),
        "caller": .string().described("The address that the call counts for."),
    ])
}
