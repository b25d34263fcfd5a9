import BelfryServices
import Hummingbird

/// Tells an erased device that it is one, whatever token it shows or lacks (REG-36). Only a call that is refused for
/// its token, or because it may not link, asks the store.
struct ErasureAnswers: RouterMiddleware {
    let clients: ClientService

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            if Self.isRefusal(error), let caller = context.caller { try await clients.refuseErased(caller) }
            throw error
        }
    }

    /// Whether the caller was turned away before anybody looked for its device.
    private static func isRefusal(_ error: any Error) -> Bool {
        guard let error = error as? ServiceError else { return (error as? APIError)?.status == .forbidden }
        return switch error {
        case .unauthorized, .forbidden: true
        default: false
        }
    }
}
