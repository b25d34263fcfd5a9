import BelfryServices
import Hummingbird

/// An operation and what answers it: one value, of which the router takes the address and the method, and the
/// description of the API everything else (WIRE-28). So there is no route without a description, and none the other way.
struct Route<Context: RequestContext>: Sendable {
    typealias Handler = @Sendable (Request, Context) async throws -> Response

    let operation: APIOperation
    private let handler: @Sendable (APIServices) -> Handler

    init(_ operation: APIOperation, handler: @escaping @Sendable (APIServices) -> Handler) {
        self.operation = operation
        self.handler = handler
    }

    /// The same at another address.
    func alias(path: String, id: String) -> Route {
        Route(operation.alias(path: path, id: id), handler: handler)
    }

    func add(to router: some RouterMethods<Context>, _ services: APIServices) {
        router.on(operation.routerPath, method: operation.method.http, use: handler(services))
        guard operation.isServedOnce else { return }
        // The router would make a HEAD of the GET.
        router.on(operation.routerPath, method: .head) { _, _ -> Response in throw HTTPError(.notFound) }
    }
}
