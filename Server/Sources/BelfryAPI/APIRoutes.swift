import Hummingbird
import Logging

/// Makes the router of the device API, the admin API and the health endpoints.
///
/// - Parameter logger: is told of requests that failed by no fault of theirs.
package func makeRouter(_ services: APIServices, logger: Logger) -> Router<APIRequestContext> {
    let routes = APIRoutes(services: services, logger: logger)
    // The routes are laid twice: once to know them, so that a 405 can be told from a 404.
    let plan = Router(context: APIRequestContext.self)
    routes.add(to: plan)
    let router = Router(context: APIRequestContext.self, options: .autoGenerateHeadEndpoints)
    for middleware in routes.middlewares(table: RouteTable(plan.routes)) {
        router.add(middleware: middleware)
    }
    routes.add(to: router)
    return router
}

/// Every route, and what stands before it.
struct APIRoutes: Sendable {
    let services: APIServices
    let logger: Logger

    /// What every request passes, the outermost first. What limits, inflates or answers for browsers joins here.
    func middlewares(table: RouteTable) -> [any MiddlewareProtocol<Request, Response, APIRequestContext>] {
        [
            SecurityHeaders(), ClientStateEcho(authentication: services.authentication),
            ErrorAnswers(routes: table, logger: logger), BodyBound(),
        ]
    }

    func add(to router: Router<APIRequestContext>) {
        HealthController(health: services.health, metrics: services.metrics, logger: logger).addRoutes(to: router)
        addDeviceRoutes(to: router)
        addAdminRoutes(to: router)
    }

    private func addDeviceRoutes(to router: Router<APIRequestContext>) {
        let group = deviceGroup("v3/apps/:appCode", of: router)
        ClientController(services: services).addRoutes(to: group)
        ContactController(services: services).addRoutes(to: group)
        PushTokenController(services: services).addRoutes(to: group)
        RegistrationController(services: services).addRoutes(to: group)
        EventController(services: services).addRoutes(to: group)
        // The clients of version 3 send their events to version 4 (WIRE-6).
        EventController(services: services).addRoutes(to: deviceGroup("v4/apps/:appCode", of: router))
    }

    private func deviceGroup(
        _ path: RouterPath, of router: Router<APIRequestContext>
    ) -> RouterGroup<DeviceRequestContext> {
        router.group(path)
            .add(middleware: ServiceErrorAnswers(surface: .device))
            .add(middleware: CallerReading(apps: services.apps, now: services.now))
            .group(context: DeviceRequestContext.self)
    }

    private func addAdminRoutes(to router: Router<APIRequestContext>) {
        let group = router.group("api/v1")
            .add(middleware: ServiceErrorAnswers(surface: .admin))
            .add(middleware: BearerAuthentication(access: services.access))
            .group(context: AdminRequestContext.self)
        AppController(services: services).addRoutes(to: group)
        CredentialController(services: services).addRoutes(to: group)
        AttributeController(services: services).addRoutes(to: group)
        CampaignController(services: services).addRoutes(to: group)
        DirectoryController(services: services).addRoutes(to: group)
    }
}
