import BelfryServices
import Hummingbird

/// Tells an erased device that it is one, whatever token it shows or lacks (REG-36). Only a call that is refused for its
/// token asks the store.
struct ErasureAnswers: RouterMiddleware {
    let clients: ClientService

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ServiceError {
            if case .unauthorized = error, let caller = context.caller {
                try await clients.refuseErased(caller)
            }
            throw error
        }
    }
}
