import BelfryAPI
import BelfryDelivery
import BelfryPush
import BelfryServices
import BelfryStore
import Foundation
import Logging
import NIOCore
import ServiceLifecycle

/// The parts of one server, made from its configuration: the composition root.
struct ServerParts {
    let database: any SQLDatabase
    let closeDatabase: @Sendable () throws -> Void
    let api: APIServices
    /// What runs beside the API, in the order of its start; it ends in the opposite order, so that senders end before
    /// their connections.
    let background: [any Service]

    init(
        configuration: ServeConfiguration, databaseFile: URL, keys: ServerKeys, adminKey: String,
        environment: ServerEnvironment, group: any EventLoopGroup, logger: Logger
    ) throws {
        var environment = environment
        environment.pushTokens = PushTokenRule(
            endpoints: configuration.endpoints.forDevices, hosts: configuration.webPushHosts
        )
        let store = try OpenStore(configuration, file: databaseFile, environment: environment)
        database = store.database
        closeDatabase = store.close
        let metrics = Metrics()
        let registrations = WakeUp()
        let silentPushes = WakeUp()
        let work = WakeUp()
        let vault = CredentialVault(keys: keys)
        var delivery = DeliverySettings()
        delivery.allowsPrivateAddresses = configuration.endpoints == .anywhere
        delivery.allowsLoopbackAddresses = configuration.endpoints == .loopback
        let carrier = DeliveryCarrier(group: group, settings: delivery, environment: environment, logger: logger)
        let accounts = PushAccounts(
            vault: vault, exchange: HTTPTokenExchange(group: group, settings: delivery), environment: environment
        )
        api = APIServices(
            clients: ClientService(database: database, keys: keys, environment: environment),
            links: LinkService(database: database, keys: keys, environment: environment),
            authentication: CallerAuthentication(keys: keys, environment: environment),
            registrations: RegistrationIntake(
                database: database, keys: keys, environment: environment, received: registrations
            ),
            events: EventIntake(database: database, keys: keys, environment: environment, metrics: metrics),
            inbox: InboxService(database: database, keys: keys, environment: environment),
            inApp: InAppService(database: database, keys: keys, environment: environment),
            overlays: OverlayService(database: database, keys: keys, environment: environment),
            badges: BadgeService(database: database, keys: keys),
            campaigns: CampaignService(
                database: database, environment: environment,
                tests: TestDelivery(accounts: accounts, carrier: carrier, keys: keys), work: work,
                inAppWork: silentPushes
            ),
            apps: AppService(
                database: database, environment: environment, vault: vault,
                endpointPolicy: configuration.endpoints
            ),
            messageCenters: MessageCenterService(database: database, environment: environment),
            access: AdminAccess(rootKey: adminKey, database: database, environment: environment),
            directory: Directory(database: database),
            contacts: ContactService(database: database, environment: environment),
            explainer: Explainer(database: database, environment: environment),
            health: Health(database: database),
            metrics: metrics,
            limits: RequestLimits(
                rates: configuration.rates, proxies: configuration.trustedProxies, environment: environment,
                metrics: metrics
            ),
            idempotency: IdempotentWrites(database: database, keys: keys, environment: environment),
            environment: environment
        )
        background = [
            carrier,
            RegistrationProcessor(
                database: database, environment: environment, received: registrations, logger: logger
            ),
            Housekeeping(database: database, environment: environment, logger: logger),
            CampaignDispatcher(
                owner: environment.uuid().uuidString, database: database, environment: environment,
                accounts: accounts, carrier: carrier, keys: keys, metrics: metrics, work: work,
                logger: logger
            ),
            SilentPushSender(
                owner: environment.uuid().uuidString, database: database, environment: environment,
                accounts: accounts, carrier: carrier, keys: keys, metrics: metrics, work: silentPushes,
                logger: logger
            ),
        ]
    }
}
