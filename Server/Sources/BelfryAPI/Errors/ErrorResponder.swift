import BelfryServices
import BelfryWire
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Turns any error of a call into a response with an error body (WIRE-23).
struct ErrorResponder: Sendable {
    let routes: RouteTable
    /// The error of an address that has no route.
    var elsewhere = APIError.unknownAddress
    let logger: Logger

    /// Throws the error of a call that ended because its caller left.
    func response(
        to error: any Error, _ request: Request, _ context: some RequestContext
    ) throws -> Response {
        switch error {
        case let error as APIError:
            return try error.response()
        case let error as ServiceError:
            return try APIError(error, surface: Surface(of: request)).response()
        case let error as any HTTPResponseError:
            return try apiError(for: error, request).response()
        case is CancellationError:
            throw error
        case is RequestTooSlow:
            return try APIError.requestTooSlow.response()
        case is RequestCrowdedOut:
            return try APIError.crowdedOut.response()
        case is HTTPParserError, is IOError, is ChannelError:
            // The client broke off, or sends something that is no longer HTTP.
            return try APIError.brokenOff.response()
        case let error where error.meansTryAgain || error.meansOverload:
            // StorageWatch logs its beginning and its end, however many calls fail in between.
            log(error, context, level: .debug)
            return try (error.meansNoRoom ? APIError.storageFull : .databaseBusy).response()
        default:
            log(error, context)
            return try APIError.internalError.response()
        }
    }

    private func log(_ error: any Error, _ context: some RequestContext, level: Logger.Level = .error) {
        logger.log(
            level: level, "a request failed",
            metadata: [
                "error": "\(LoggedError(error))", "route": "\(context.endpointPath ?? "unknown")",
                "request": context.logger[metadataKey: "hb.request.id"] ?? "unknown",
            ]
        )
    }

    /// Errors of the router and the libraries below it.
    private func apiError(for error: any HTTPResponseError, _ request: Request) -> APIError {
        switch error.status {
        case .notFound:
            return unknownRoute(request)
        case .contentTooLarge:
            return .bodyTooLarge
        case let status where status.kind == .clientError:
            return APIError(status, ErrorCode.badRequest, "The request is not valid (\(status.reasonPhrase)).")
        default:
            return .internalError
        }
    }

    private func unknownRoute(_ request: Request) -> APIError {
        let methods = routes.methods(at: request.uri.path)
        guard !methods.isEmpty else { return elsewhere }
        let allowed = methods.joined(separator: ", ")
        return APIError(
            .methodNotAllowed, ErrorCode.methodNotAllowed,
            "The method \(request.method.rawValue.prefix(16)) is not allowed at this path. Allowed: \(allowed).",
            headers: [.allow: allowed]
        )
    }
}

extension Surface {
    /// The admin API is recognized by the prefix of its addresses.
    fileprivate init(of request: Request) {
        self = request.uri.path.utf8.starts(with: "/api/".utf8) ? .admin : .device
    }
}

extension APIError {
    static let unknownAddress = APIError(.notFound, ErrorCode.notFound, "There is no resource at this path.")

    static let workerOnly = APIError(
        .serviceUnavailable, ErrorCode.unavailable,
        "This process is a worker. Devices, operators and the console are answered by the processes with the role 'api'.",
        headers: [.retryAfter: "60"]
    )

    fileprivate static let requestTooSlow = APIError(
        .requestTimeout, ErrorCode.requestTimeout,
        "The request was not complete within \(RequestGuard.patience.nanoseconds / 1_000_000_000) seconds.",
        headers: [.connection: "close"]
    )

    fileprivate static let crowdedOut = APIError(
        .serviceUnavailable, ErrorCode.unavailable,
        "The server is overloaded and dropped this request, the slowest one. Send it again.",
        headers: [.connection: "close", .retryAfter: "5"]
    )

    fileprivate static let brokenOff = APIError(
        .badRequest, ErrorCode.badRequest, "The request was interrupted, or the framing of its body is not HTTP/1.1.",
        headers: [.connection: "close"]
    )
}

/// The methods of an address, which distinguish a 405 from a 404.
struct RouteTable: Sendable {
    private let methods: [(path: RouterPath, methods: [String])]

    init(_ routes: [Router<APIRequestContext>.RouteDescription]) {
        methods = Dictionary(grouping: routes, by: \.path.description).values.compactMap { routes in
            routes.first.map { first in
                var methods = Set(routes.map(\.method.rawValue))
                // The router answers HEAD wherever it answers GET. A route for HEAD exists only to reject it.
                if methods.contains("GET"), methods.remove("HEAD") == nil { methods.insert("HEAD") }
                return (first.path, methods.sorted())
            }
        }
    }

    /// In alphabetical order; empty for an unknown address.
    func methods(at path: String) -> [String] {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        return methods.first { entry in
            entry.path.count == parts.count && zip(entry.path, parts).allSatisfy { $0 ~= $1 }
        }?.methods ?? []
    }
}
