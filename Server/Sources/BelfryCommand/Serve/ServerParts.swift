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
        let database = store.database
        let metrics = Metrics()
        let limits = RequestLimits(
            rates: configuration.rates, proxies: configuration.trustedProxies, environment: environment,
            metrics: metrics
        )
        environment.newContacts = NewContactRule(limits: limits)
        let bells = WorkBells()
        let delivery = Self.delivery(to: configuration.endpoints)
        let carrier = DeliveryCarrier(group: group, settings: delivery, environment: environment, logger: logger)
        let accounts = PushAccounts(
            vault: CredentialVault(keys: keys), exchange: HTTPTokenExchange(group: group, settings: delivery),
            environment: environment
        )
        self.database = database
        closeDatabase = store.close
        api = APIServices(
            database: database, keys: keys, rootKey: adminKey, endpointPolicy: configuration.endpoints,
            accounts: accounts, carrier: carrier, bells: bells, metrics: metrics, limits: limits,
            environment: environment
        )
        background = [
            carrier,
            RegistrationProcessor(
                database: database, environment: environment, received: bells.registrations, logger: logger
            ),
            Housekeeping(database: database, environment: environment, logger: logger),
            CampaignDispatcher(
                owner: environment.uuid().uuidString, database: database, environment: environment,
                accounts: accounts, carrier: carrier, keys: keys, metrics: metrics, work: bells.campaigns,
                logger: logger
            ),
            SilentPushSender(
                owner: environment.uuid().uuidString, database: database, environment: environment,
                accounts: accounts, carrier: carrier, keys: keys, metrics: metrics, work: bells.silentPushes,
                logger: logger
            ),
        ]
    }

    /// What the connections to push services and authorization servers may reach (SEC-5).
    private static func delivery(to endpoints: EndpointPolicy) -> DeliverySettings {
        var settings = DeliverySettings()
        settings.allowsPrivateAddresses = endpoints == .anywhere
        settings.allowsLoopbackAddresses = endpoints == .loopback
        return settings
    }
}
