import BelfryServices
import Hummingbird
import Logging

/// Makes the router of the device API, the admin API and the health endpoints.
///
/// - Parameters:
///   - logger: receives requests that failed because of an internal error.
///   - addPages: adds further routes, such as the console.
package func makeRouter(
    _ services: APIServices, logger: Logger, adding addPages: (Router<APIRequestContext>) -> Void = { _ in }
) -> Router<APIRequestContext> {
    let routes = APIRoutes(services: services, logger: logger)
    // The routes are set up twice. The first time collects them, so that a 405 can be told from a 404.
    let plan = Router(context: APIRequestContext.self)
    routes.add(to: plan)
    addPages(plan)
    let router = Router(context: APIRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: routes.edge(of: RouteTable(plan.routes)))
    routes.add(to: router)
    addPages(router)
    return router
}

/// Makes the router of a process without APIs: only health and metrics (FLEET-1).
///
/// If a balancer sends devices or operators to it by mistake, the response asks them to retry, so that none of their
/// data is lost.
package func makeHealthRouter(_ services: APIServices, logger: Logger) -> Router<APIRequestContext> {
    let routes = APIRoutes(services: services, logger: logger, elsewhere: .workerOnly)
    let plan = Router(context: APIRequestContext.self)
    for route in HealthController.routes { route.add(to: plan, services) }
    let router = Router(context: APIRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: routes.edge(of: RouteTable(plan.routes)))
    for route in HealthController.routes { route.add(to: router, services) }
    return router
}

/// All routes, and the middleware before them.
struct APIRoutes: Sendable {
    static let service: [Route<APIRequestContext>] =
        HealthController.routes + V3UnservedController.openRoutes + [OpenAPIController.route { packedDescription }]

    static let device: [Route<DeviceRequestContext>] = [
        ClientController.routes, ContactController.routes, WebPushKeyController.routes, PushTokenController.routes,
        RegistrationController.routes,
        EventController.routes, InboxController.routes, MessageController.routes, InAppController.routes,
        InlineMessageController.routes, BadgeController.routes, V3UnservedController.deviceRoutes,
    ].flatMap(\.self)

    static let admin: [Route<AdminRequestContext>] = [
        AppRoutes.all, AdminKeyRoutes.all, SettingsRoutes.all, WebsiteRoutes.all, CredentialRoutes.all,
        AttributeRoutes.all,
        MessageCenterRoutes.all, CampaignRoutes.all, CampaignVersionRoutes.all, CampaignReviewRoutes.all,
        CampaignPreviewRoutes.all, ComposingRoutes.all, RehearsalRoutes.all, DeviceRoutes.all, DeviceListRoutes.all,
        ContactRoutes.all, ContactKeyRoutes.all, ErasureRoutes.all, QuarantineRoutes.all, AuditRoutes.all,
        StatisticsRoutes.all, CalendarRoutes.all, RecipientRoutes.all,
        UserRoutes.all, ServerRoutes.all, PlacedMessageRoutes.all, PeopleRoutes.all,
    ].flatMap(\.self)

    static let operations: [APIOperation] =
        device.map(\.operation) + admin.map(\.operation) + service.map(\.operation)

    /// The description of all operations, for people and programs.
    static let description = OpenAPI(of: operations)
    /// Compressed once, because it is the same for everybody.
    private static let packedDescription = PackedBody(description.document.bytes)

    let services: APIServices
    let logger: Logger
    /// The error of an address that has no route.
    var elsewhere = APIError.unknownAddress

    /// The middleware that every request passes. There is only one such layer, so whatever concerns all requests
    /// belongs here.
    func edge(of table: RouteTable) -> CommonMiddleware {
        CommonMiddleware(
            authentication: services.authentication,
            errors: ErrorResponder(routes: table, elsewhere: elsewhere, logger: logger),
            origins: CrossOrigin(apps: services.apps, routes: table),
            growth: DiskSpaceGuard(Self.operations, storage: services.storage),
            meters: RequestMeters(Self.operations, metrics: services.metrics, now: services.now)
        )
    }

    func add(to router: Router<APIRequestContext>) {
        for route in Self.service { route.add(to: router, services) }
        let devices = deviceGroup(of: router)
        for route in Self.device { route.add(to: devices, services) }
        let operators = adminGroup(of: router)
        for route in Self.admin { route.add(to: operators, services) }
    }

    private func deviceGroup(of router: Router<APIRequestContext>) -> RouterGroup<DeviceRequestContext> {
        router.group()
            .add(
                middleware: DeviceAuthMiddleware(
                    apps: services.apps, limits: services.limits, authentication: services.authentication,
                    now: services.now
                )
            )
            .add(middleware: ErasedDeviceMiddleware(clients: services.clients))
            .group(context: DeviceRequestContext.self)
    }

    private func adminGroup(of router: Router<APIRequestContext>) -> RouterGroup<AdminRequestContext> {
        // After authentication a route was found, so an error needs no look-up of routes.
        let errors = ErrorResponder(routes: RouteTable([]), logger: logger)
        return router.group()
            .add(middleware: AdminAuthMiddleware(access: services.access, limits: services.limits))
            .add(
                middleware: IdempotencyMiddleware(
                    writes: services.idempotency, errors: errors, operations: Self.admin.map(\.operation)
                )
            )
            .group(context: AdminRequestContext.self)
    }
}
