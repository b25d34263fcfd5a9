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
        let metrics = Metrics()
        let storage = StorageWatch(
            database: store.database, disk: store.disk, floor: configuration.diskFloor, environment: environment,
            metrics: metrics, logger: logger
        )
        let database = WatchedDatabase(store.database, watch: storage)
        let limits = RequestLimits(
            rates: configuration.rates, proxies: configuration.trustedProxies, now: environment.now,
            metrics: metrics
        )
        environment.newContacts = NewContactRule(limits: limits)
        environment.receipts = ReceiptBudget(limits: limits)
        let signals = ServiceSignals()
        let delivery = Self.delivery(to: configuration.endpoints)
        let transport = DeliveryTransport(
            group: group, settings: delivery, environment: environment, metrics: metrics, logger: logger
        )
        let accounts = PushAccounts(
            vault: CredentialVault(keys: keys), exchange: HTTPTokenExchange(group: group, settings: delivery),
            environment: environment
        )
        self.database = database
        closeDatabase = store.close
        api = APIServices(
            database: database, keys: keys, rootKey: adminKey, endpointPolicy: configuration.endpoints,
            accounts: accounts, transport: transport, signals: signals, metrics: metrics, limits: limits,
            storage: storage, environment: environment,
            provider: configuration.signInProvider.map { provider in
                ProviderSignIn.Connection(
                    provider: provider, transport: HTTPProviderTransport(group: group), logger: logger
                )
            }
        )
        let attempts = WorkAttempts(
            owner: environment.uuid().uuidString, database: database, environment: environment, metrics: metrics,
            logger: logger
        )
        let pipeline = PushPipeline(
            database: database, environment: environment, attempts: attempts, accounts: accounts, transport: transport,
            keys: keys, metrics: metrics, logger: logger
        )
        background = [
            storage,
            AuditLogWriter(api.access.log, environment: environment, metrics: metrics, logger: logger),
            transport,
            RegistrationProcessor(
                database: database, environment: environment, attempts: attempts, received: signals.registrations,
                logger: logger
            ),
            AttributeReviewer(database: database, environment: environment, logger: logger),
            Housekeeping(database: database, environment: environment, attempts: attempts, logger: logger),
            api.rates,
            StatisticsSummation(database: database, environment: environment, attempts: attempts, logger: logger),
            QuarantineGauge(database: database, environment: environment, metrics: metrics, logger: logger),
            CampaignDispatcher(
                owner: environment.uuid().uuidString, pipeline: pipeline, work: signals.campaigns
            ),
            SilentPushSender(
                owner: environment.uuid().uuidString, pipeline: pipeline, work: signals.silentPushes
            ),
            RehearsalWorker(
                owner: environment.uuid().uuidString, campaigns: api.campaigns, work: signals.rehearsals,
                logger: logger
            ),
            // It hears first that the process is to end.
            OrderlyStop(attempts: attempts, database: database, logger: logger),
        ]
    }

    /// What the connections to push services and authorization servers may reach (SEC-5).
    static func delivery(to endpoints: EndpointPolicy) -> DeliverySettings {
        var settings = DeliverySettings()
        settings.allowsPrivateAddresses = endpoints == .anywhere
        settings.allowsLoopbackAddresses = endpoints == .loopback
        return settings
    }
}
