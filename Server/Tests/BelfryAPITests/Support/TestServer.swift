import BelfryAPI
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Hummingbird
import InMemoryLogging
import Logging
import Synchronization

/// A whole server, without sockets unless a test is about them: real services over a real database of the engine of
/// this run, and a clock that stands still. Two of them that get the same calls are the same.
package struct TestServer: Sendable {
    package static let rootKey = "root-key-of-a-test-server-0123456789"
    package static let keys = ServerKeys(secret: Array("a secret of a test server, long enough".utf8))

    package let clock: ManualClock
    package let store: TestStore
    package var database: any SQLDatabase { store.database }
    /// Registrations wait until a test calls `processWaiting()`.
    package let registrations: RegistrationProcessor
    /// Audiences wait until a test calls `planNext()`.
    package let planner: CampaignPlanner
    package let log: InMemoryLogHandler
    /// The simulated state of the store's disk.
    package let disk: MeasuredDisk
    /// How many writes of its calls the database still takes.
    let writes: WriteBound
    package let client: any APIClient
    /// The push services.
    package let transport: AcceptingTransport
    package let services: APIServices
    /// The state that its connections share.
    package let rules: ConnectionRules
    /// Every route, as `GET /healthz`. Few tests ask, and each server would take a while to tell.
    package var routes: [String] {
        makeRouter(services, logger: Logger(label: "belfry.test") { [log] _ in log }).routes.map(\.description)
    }

    /// Makes a server over a fresh database, which is gone after the test.
    ///
    /// - Parameters:
    ///   - rates: nil: everybody may call as often as they like, since the clock stands still.
    ///   - proxies: whose `X-Forwarded-For` is believed. A test calls from this machine.
    ///   - connections: what these may hold, and how many there may be.
    ///   - questions: what predicates may cost.
    ///   - changesTables: whether the test drops some, so that no other test can have its schema on PostgreSQL.
    ///   - way: how its calls come.
    package static func run<Value>(
        rates: RequestRates? = nil, proxies: TrustedProxies = .none,
        connections: ConnectionRules.Settings = .init(), questions: QuestionLimits = .patient,
        changesTables: Bool = false, over way: ServerWay = .router,
        _ test: @Sendable (TestServer) async throws -> Value
    ) async throws -> Value {
        let store = try TestStore(.ofThisRun, writers: 2, questions: questions, isRecycled: !changesTables)
        let database = store.database
        let clock = ManualClock()
        let environment = environment(clock)
        var log = InMemoryLogHandler()
        log.logLevel = .trace
        let logger = Logger(label: "belfry.test") { [log] _ in log }
        let signals = ServiceSignals()
        let metrics = Metrics()
        let attempts = WorkAttempts(
            owner: "test", database: database, environment: environment, metrics: metrics, logger: logger
        )
        let limits = RequestLimits(rates: rates, proxies: proxies, now: environment.now, metrics: metrics)
        let disk = MeasuredDisk()
        let storage = StorageWatch(
            database: database, disk: disk.disk, floor: MeasuredDisk.floor, environment: environment, metrics: metrics,
            logger: logger
        )
        let writes = WriteBound(WatchedDatabase(database, watch: storage))
        let transport = AcceptingTransport()
        let services = services(
            writes, environment, metrics, limits, storage: storage, signals: signals, transport: transport
        )
        let rules = ConnectionRules(connections, services: services, proxies: proxies, logger: logger)
        let router = makeRouter(services, logger: logger)
        return try await way.serve(router, services, rules, logger: logger) { [log] client in
            try await test(
                TestServer(
                    clock: clock, store: store,
                    registrations: RegistrationProcessor(
                        database: database, environment: environment, attempts: attempts,
                        received: signals.registrations, logger: logger
                    ),
                    planner: CampaignPlanner(
                        database: database, environment: environment, attempts: attempts, logger: logger
                    ),
                    log: log, disk: disk, writes: writes, client: DescribedClient(base: client), transport: transport,
                    services: services,
                    rules: rules
                )
            )
        }
    }

    static func environment(_ clock: ManualClock) -> ServerEnvironment {
        let dice = Mutex(SeededGenerator(seed: 1))
        return ServerEnvironment(
            now: { clock.now },
            randomBytes: { count in
                dice.withLock { dice in (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) } }
            },
            jitter: { 0.5 },
            uuid: {
                dice.withLock { dice in
                    let (high, low) = (dice.next().bigEndian, dice.next().bigEndian)
                    let bytes = withUnsafeBytes(of: (high, low)) { $0.loadUnaligned(as: uuid_t.self) }
                    return UUID(uuid: bytes)
                }
            },
            // Nothing that is tested here may wait.
            sleepUntil: { _ in throw CancellationError() }
        )
    }

    static func services(
        _ database: any SQLDatabase, _ environment: ServerEnvironment, _ metrics: Metrics, _ limits: RequestLimits,
        storage: StorageWatch, signals: ServiceSignals, transport: AcceptingTransport = AcceptingTransport()
    ) -> APIServices {
        APIServices(
            database: database, keys: keys, rootKey: rootKey, endpointPolicy: .publicOnly,
            accounts: PushAccounts(
                vault: CredentialVault(keys: keys), exchange: NoTokenExchange(), environment: environment
            ),
            transport: transport, signals: signals, metrics: metrics, limits: limits, storage: storage,
            environment: environment, publicServer: PublicServer(address: nil, version: "1.2.3")
        )
    }
}
