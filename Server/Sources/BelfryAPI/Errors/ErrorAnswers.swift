import BelfryServices
import BelfryWire
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Turns whatever a call throws into an answer with an error body (WIRE-23).
struct ErrorAnswers: Sendable {
    let routes: RouteTable
    let logger: Logger

    /// Throws the error of a call that ended because nobody waits for its answer.
    func response(
        to error: any Error, _ request: Request, _ context: some RequestContext
    ) throws -> Response {
        switch error {
        case let error as APIError:
            return try error.response()
        case let error as ServiceError:
            return try APIError(error, surface: Surface(of: request)).response()
        case let error as any HTTPResponseError:
            return try answer(to: error, request).response()
        case is CancellationError:
            throw error
        case is RequestTooSlow:
            return try APIError.requestTooSlow.response()
        case is HTTPParserError, is IOError, is ChannelError:
            // The client broke off in the middle, or what it sends is no HTTP any more.
            return try APIError.brokenOff.response()
        case let error where error.meansTryAgain:
            log(error, context)
            return try APIError.databaseBusy.response()
        default:
            log(error, context)
            return try APIError.internalFault.response()
        }
    }

    private func log(_ error: any Error, _ context: some RequestContext) {
        logger.error(
            "a request failed",
            metadata: [
                "error": "\(LoggedError(error))", "route": "\(context.endpointPath ?? "unknown")",
                "request": context.logger[metadataKey: "hb.request.id"] ?? "unknown",
            ]
        )
    }

    /// What the router and the libraries below it throw.
    private func answer(to error: any HTTPResponseError, _ request: Request) -> APIError {
        switch error.status {
        case .notFound:
            return unknownRoute(request)
        case .contentTooLarge:
            return .bodyTooLarge
        case let status where status.kind == .clientError:
            return APIError(status, ErrorCode.badRequest, "The request is not valid (\(status.reasonPhrase)).")
        default:
            return .internalFault
        }
    }

    private func unknownRoute(_ request: Request) -> APIError {
        let methods = routes.methods(at: request.uri.path)
        guard !methods.isEmpty else {
            return APIError(.notFound, ErrorCode.notFound, "There is nothing at this address.")
        }
        let allowed = methods.joined(separator: ", ")
        return APIError(
            .methodNotAllowed, ErrorCode.methodNotAllowed,
            "This address does not take \(request.method.rawValue.prefix(16)); it takes \(allowed).",
            headers: [.allow: allowed]
        )
    }
}

extension Surface {
    /// By the address: the admin API has a prefix of its own.
    fileprivate init(of request: Request) {
        self = request.uri.path.utf8.starts(with: "/api/".utf8) ? .admin : .device
    }
}

extension APIError {
    fileprivate static let requestTooSlow = APIError(
        .requestTimeout, ErrorCode.requestTimeout,
        "The request did not arrive whole within \(RequestGuard.patience.nanoseconds / 1_000_000_000) seconds.",
        headers: [.connection: "close"]
    )

    fileprivate static let brokenOff = APIError(
        .badRequest, ErrorCode.badRequest, "The request broke off, or its body is not framed as HTTP/1.1 says.",
        headers: [.connection: "close"]
    )
}
