import BelfryServices
import BelfryWire
import Hummingbird
import Logging

/// Turns whatever is thrown below it into an answer with an error body (WIRE-23).
struct ErrorAnswers: RouterMiddleware {
    let routes: RouteTable
    let logger: Logger

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as APIError {
            return try error.response()
        } catch let error as any HTTPResponseError {
            return try answer(to: error, request).response()
        } catch let error as CancellationError {
            // Nobody waits for an answer.
            throw error
        } catch {
            logger.error(
                "a request failed",
                metadata: [
                    "error": "\(error)", "route": "\(context.endpointPath ?? "unknown")",
                    "request": context.logger[metadataKey: "hb.request.id"] ?? "unknown",
                ]
            )
            return try APIError.internalFault.response()
        }
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

/// Gives a use case's refusals the status that its surface answers with.
struct ServiceErrorAnswers: RouterMiddleware {
    let surface: Surface

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ServiceError {
            throw APIError(error, surface: surface)
        }
    }
}
