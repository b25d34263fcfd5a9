import BelfryServices
import Hummingbird

/// An operation and its handler as one value: the router takes the address and the method from it, and the description
/// of the API everything else (WIRE-28). So every route has a description, and every description a route.
struct Route<Context: RequestContext>: Sendable {
    typealias Handler = @Sendable (Request, Context) async throws -> Response

    let operation: APIOperation
    private let handler: @Sendable (APIServices) -> Handler

    init(_ operation: APIOperation, handler: @escaping @Sendable (APIServices) -> Handler) {
        self.operation = operation
        self.handler = handler
    }

    /// The same route at another address.
    func alias(path: String, id: String) -> Route {
        Route(operation.alias(path: path, id: id), handler: handler)
    }

    func add(to router: some RouterMethods<Context>, _ services: APIServices) {
        router.on(operation.routerPath, method: operation.method.http, use: handler(services))
        guard operation.isServedOnce else { return }
        // Without this, the router would serve a HEAD like the GET.
        router.on(operation.routerPath, method: .head) { _, _ -> Response in throw HTTPError(.notFound) }
    }
}
