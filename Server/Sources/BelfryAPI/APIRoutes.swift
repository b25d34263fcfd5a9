import BelfryServices
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
    router.add(middleware: routes.edge(of: RouteTable(plan.routes)))
    routes.add(to: router)
    return router
}

/// Every route, and what stands before it.
struct APIRoutes: Sendable {
    let services: APIServices
    let logger: Logger

    /// What every request passes. There is one such layer, and what concerns all of them goes into it.
    func edge(of table: RouteTable) -> Edge {
        Edge(
            authentication: services.authentication, errors: ErrorAnswers(routes: table, logger: logger),
            origins: CrossOrigin(apps: services.apps, routes: table), growth: StoreGrowth(storage: services.storage)
        )
    }

    func add(to router: Router<APIRequestContext>) {
        HealthController(readiness: services.readiness, metrics: services.metrics).addRoutes(to: router)
        OpenAPIController().addRoutes(to: router)
        addDeviceRoutes(to: router)
        addAdminRoutes(to: router)
    }

    private func addDeviceRoutes(to router: Router<APIRequestContext>) {
        let group = deviceGroup("v3/apps/:appCode", of: router)
        ClientController(services: services).addRoutes(to: group)
        ContactController(services: services).addRoutes(to: group)
        PushTokenController(services: services).addRoutes(to: group)
        RegistrationController(services: services).addRoutes(to: group)
        EventController(services: services, version: .v3).addRoutes(to: group)
        InboxController(services: services).addRoutes(to: group)
        MessageController(services: services).addRoutes(to: group)
        InAppController(services: services).addRoutes(to: group)
        InlineMessageController(services: services, version: .v3).addRoutes(to: group)
        BadgeController(services: services).addRoutes(to: group)
        // The clients of version 3 send their events to version 4, and ask there for inline messages (WIRE-6, WIRE-14).
        let newer = deviceGroup("v4/apps/:appCode", of: router)
        EventController(services: services, version: .v4).addRoutes(to: newer)
        InlineMessageController(services: services, version: .v4).addRoutes(to: newer)
    }

    private func deviceGroup(
        _ path: RouterPath, of router: Router<APIRequestContext>
    ) -> RouterGroup<DeviceRequestContext> {
        router.group(path)
            .add(
                middleware: CallerReading(
                    apps: services.apps, limits: services.limits, authentication: services.authentication,
                    now: services.now
                )
            )
            .add(middleware: ErasureAnswers(clients: services.clients))
            .group(context: DeviceRequestContext.self)
    }

    private func addAdminRoutes(to router: Router<APIRequestContext>) {
        // Behind the authentication a route was found, so none is looked up for an error.
        let errors = ErrorAnswers(routes: RouteTable([]), logger: logger)
        let group = router.group("api/v1")
            .add(middleware: BearerAuthentication(access: services.access, limits: services.limits))
            .add(middleware: IdempotentAnswers(writes: services.idempotency, errors: errors))
            .group(context: AdminRequestContext.self)
        AppController(services: services).addRoutes(to: group)
        SettingsController(services: services).addRoutes(to: group)
        CredentialController(services: services).addRoutes(to: group)
        AttributeController(services: services).addRoutes(to: group)
        MessageCenterController(services: services).addRoutes(to: group)
        CampaignController(services: services).addRoutes(to: group)
        AudienceController(services: services).addRoutes(to: group)
        DirectoryController(services: services).addRoutes(to: group)
        PeopleController(services: services).addRoutes(to: group)
        DeviceController(services: services).addRoutes(to: group)
        QuarantineController(services: services).addRoutes(to: group)
    }
}
