import Belfry
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
    /// The services beside the API, in their start order. They end in reverse order, so that senders end before their
    /// connections.
    let background: [any Service]

    init(
        configuration: ServeConfiguration, databaseFile: URL, keys: ServerKeys, adminKey: String,
        environment: ServerEnvironment, group: any EventLoopGroup, logger: Logger
    ) throws {
        let metrics = Metrics()
        let damage = DamageMark(
            in: databaseFile.deletingLastPathComponent(), now: environment.now, logger: logger
        )
        let store = try OpenStore(
            configuration, file: databaseFile, environment: environment, metrics: metrics, damage: damage
        )
        store.databaseDisk?.log(logger)
        if !store.distributed.isEmpty {
            logger.notice(
                "the database is distributed over several servers from now on",
                metadata: ["tables": "\(store.distributed.count)"])
        }
        let storage = StorageWatch(
            database: store.database, disk: store.disk, floor: configuration.diskFloor, environment: environment,
            metrics: metrics, logger: logger
        )
        let database = WatchedDatabase(store.database, watch: storage)
        let limits = RequestLimits(
            rates: configuration.rates, proxies: configuration.trustedProxies, now: environment.now,
            metrics: metrics
        )
        let environment = environment.with(
            pushTokens: PushTokenRule(
                endpoints: configuration.endpoints.forDevices, hosts: configuration.webPushHosts
            ),
            newContacts: NewContactRule(limits: limits), receipts: ReceiptBudget(limits: limits),
            tokenMoves: TokenMoveCount(metrics: metrics)
        )
        let signals = ServiceSignals { [roles = configuration.roles, bell = store.bell] work in
            if roles.tellsOthers(of: work) { bell.ring(work) }
        }
        var delivery = Self.delivery(to: configuration.endpoints)
        delivery.trustsSystemToo = configuration.trustsSystemToo
        let transport = DeliveryTransport(
            group: group, settings: delivery, environment: environment, metrics: metrics, logger: logger
        )
        let accounts = PushAccounts(
            vault: CredentialVault(keys: keys), exchange: HTTPTokenExchange(group: group, settings: delivery),
            environment: environment
        )
        let traces = configuration.traceCollector.map { _ in
            TraceLog(metrics: metrics, share: configuration.traceShare)
        }
        self.database = database
        closeDatabase = store.close
        api = APIServices(
            database: database, keys: keys, rootKey: adminKey, endpointPolicy: configuration.endpoints,
            accounts: accounts, transport: transport, signals: signals, metrics: metrics, limits: limits,
            storage: storage, environment: environment,
            publicServer: PublicServer(address: configuration.publicURL, version: BelfryVersion.sdk), traces: traces,
            provider: configuration.signInProvider.map { provider in
                ProviderSignIn.Connection(
                    provider: provider, transport: HTTPProviderTransport(group: group), logger: logger
                )
            }
        )
        var background: [any Service] = [
            storage,
            AuditLogWriter(api.access.log, environment: environment, metrics: metrics, logger: logger),
            transport,
            FleetWatch(
                bell: store.bell, signals: signals, limits: limits, answersCalls: configuration.roles.contains(.api),
                environment: environment, metrics: metrics
            ),
            api.rates,
        ]
        let gauges: [GaugeQuestion] = [
            .quarantine(in: database), .partitions(of: database, environment: environment), .queues(api.operations),
            .connections(pools: store.pools, questions: store.questions), .damage(damage),
        ]
        background += gauges.map { question -> any Service in
            RegularGauge(question, environment: environment, metrics: metrics, logger: logger)
        }
        if let traces, let collector = configuration.traceCollector {
            // The exporter ends after the services that send to it.
            background.append(
                TraceExporter(
                    log: traces,
                    transport: OTLPTransport(origin: collector.origin, version: BelfryVersion.sdk, group: group),
                    environment: environment, logger: logger
                ))
        }
        if configuration.roles.contains(.worker) {
            let workers = WorkerParts(
                database: database, keys: keys, environment: environment, accounts: accounts, transport: transport,
                signals: signals, previews: api.campaigns.previews, metrics: metrics, traces: traces, logger: logger
            )
            background += workers.services()
        }
        self.background = background
    }

    /// The delivery settings, with the endpoints that connections to push services and authorization servers may reach
    /// (SEC-5).
    static func delivery(to endpoints: EndpointPolicy) -> DeliverySettings {
        var settings = DeliverySettings()
        settings.allowsPrivateAddresses = endpoints == .anywhere
        settings.allowsLoopbackAddresses = endpoints == .loopback
        return settings
    }
}
