import BelfryAPI
import BelfryDelivery
import BelfryPush
import BelfrySQLite
import BelfryServices
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The composition root: every part of one server, made here and nowhere else.
struct BelfryServer {
    /// How long a connection may be silent: between two requests, and while one is being read (SEC-2).
    static let idleTimeout = TimeAmount.seconds(60)
    /// Connections that are served at once; those beyond wait to be accepted (SEC-2).
    static let connections = 10_000

    private let configuration: ServeConfiguration
    /// Where the admin key is; nil when it was given.
    let adminKeyFile: URL?
    let adminKey: String
    private let directory: DataDirectory
    private let database: SQLiteDatabase
    private let api: APIServices
    private let background: [any Service]
    private let group: MultiThreadedEventLoopGroup
    private let logger: Logger

    init(configuration: ServeConfiguration, environment: ServerEnvironment, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        let directory = try DataDirectory(path: configuration.data)
        self.directory = directory
        func secret(_ file: URL) throws -> String {
            try directory.secret(file) { Base64URL.encode(environment.randomBytes(32)) }
        }
        adminKey = try configuration.adminKey ?? secret(directory.adminKey)
        adminKeyFile = configuration.adminKey == nil ? directory.adminKey : nil
        let keys = ServerKeys(secret: Array(try (configuration.secretKey ?? secret(directory.secretKey)).utf8))
        database = try SQLiteDatabase(path: directory.database.path)
        group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)

        let metrics = Metrics()
        let registrations = WakeUp()
        let work = WakeUp()
        let vault = CredentialVault(keys: keys)
        var delivery = DeliverySettings()
        delivery.allowsPrivateAddresses = configuration.allowsPrivateEndpoints
        let carrier = DeliveryCarrier(group: group, settings: delivery, jitter: environment.jitter, logger: logger)
        api = APIServices(
            clients: ClientService(database: database, keys: keys, environment: environment),
            links: LinkService(database: database, keys: keys, environment: environment),
            authentication: CallerAuthentication(keys: keys, environment: environment),
            registrations: RegistrationIntake(
                database: database, keys: keys, environment: environment, received: registrations
            ),
            events: EventIntake(database: database, keys: keys, environment: environment, metrics: metrics),
            campaigns: CampaignService(database: database, environment: environment, work: work),
            apps: AppService(
                database: database, environment: environment, vault: vault,
                endpointPolicy: configuration.allowsPrivateEndpoints ? .anywhere : .publicOnly
            ),
            access: AdminAccess(rootKey: adminKey, database: database, environment: environment),
            directory: Directory(database: database),
            explainer: Explainer(database: database),
            health: Health(database: database),
            metrics: metrics,
            environment: environment
        )
        // In the order of their start; they end in the opposite order, so senders end before their connections.
        background = [
            carrier,
            RegistrationProcessor(
                database: database, environment: environment, received: registrations, logger: logger
            ),
            CampaignDispatcher(
                owner: environment.uuid().uuidString, database: database, environment: environment,
                accounts: APNsAccounts(vault: vault), carrier: carrier, keys: keys, metrics: metrics, work: work,
                logger: logger
            ),
        ]
    }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - companions: start before the server and end after it.
    ///   - guest: runs beside the server, which ends when the guest does.
    ///   - onRunning: is told the base URL once requests are taken.
    func run(
        beside companions: [any Service] = [], until guest: (any Service)? = nil,
        onRunning: @escaping @Sendable (String) async -> Void
    ) async throws {
        // This process has the store alone, so a lease that stands there is a dead predecessor's.
        try await database.write { try $0.batches.endLeases() }
        let application = application(onRunning: onRunning)
        var configuration = ServiceGroupConfiguration(
            services: companions + background + [application], gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        if let guest {
            configuration.services.append(
                .init(service: guest, successTerminationBehavior: .gracefullyShutdownGroup)
            )
        }
        let services = ServiceGroup(configuration: configuration)
        do {
            try await services.run()
        } catch {
            try await close()
            throw ServeConfigurationError.listening(
                on: self.configuration.host, port: self.configuration.port, failed: error
            )
        }
        try await close()
    }

    private func application(onRunning: @escaping @Sendable (String) async -> Void) -> some ApplicationProtocol {
        let host = configuration.host
        return Application(
            router: makeRouter(api, logger: logger),
            server: .http1(configuration: .init(idleTimeout: Self.idleTimeout)),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: configuration.port), serverName: nil,
                availableConnectionsDelegate: .maximum(Self.connections, logger: logger)
            ),
            onServerRunning: { channel in
                let name = host.contains(":") ? "[\(host)]" : host
                await onRunning("http://\(name):\(channel.localAddress?.port ?? 0)")
            },
            eventLoopGroupProvider: .shared(group),
            logger: logger
        )
    }

    private func close() async throws {
        try await group.shutdownGracefully()
        try database.close()
    }
}
