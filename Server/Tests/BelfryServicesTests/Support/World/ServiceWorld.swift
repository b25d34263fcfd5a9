import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import InMemoryLogging
import Logging
import Synchronization

/// A whole server without a network: real services over a real database, a clock that the test moves, and a push
/// service by script. The database is gone when the test is over.
final class ServiceWorld: Sendable {
    static let epoch = Date(milliseconds: 1_795_262_400_000)

    let clock = ManualClock(epoch)
    let transport = ScriptedTransport()
    let exchange = ScriptedExchange()
    let keys = TestKeys.server()
    let metrics = Metrics()
    let work = AsyncSignal()
    let received = AsyncSignal()
    let log = InMemoryLogHandler()
    let logger: Logger
    /// The process that most tests use.
    let attempts: WorkAttempts
    let database: any SQLDatabase
    let environment: ServerEnvironment
    let app: AppRecord
    let apiKey: String
    let store: TestStore

    /// A server with one app, `shop`, which has credentials.
    ///
    /// - Parameters:
    ///   - questions: what predicates may cost.
    ///   - isRecycled: false for a test that must not meet what others have left in a schema of PostgreSQL.
    ///   - isOneShard: true for a test that counts on devices that are sent to in one batch: a cluster has one for each
    ///     shard.
    ///   - statements: what is asked of PostgreSQL goes there.
    init(
        _ engine: Engine = .ofThisRun, questions: QuestionLimits = .patient, isRecycled: Bool = true,
        isOneShard: Bool = false, statements: StatementLog? = StatementLog.ofThisRun
    ) async throws {
        // As many writers as a server of one worker needs: conflicts are met, and repeated.
        store = try TestStore(
            engine, writers: 2, questions: questions, isRecycled: isRecycled, isOneShard: isOneShard,
            statements: statements
        )
        database = store.database
        environment = Self.environment(clock).with(tokenMoves: TokenMoveCount(metrics: metrics))
        logger = Logger(label: "belfry.tests") { [log] _ in log }
        attempts = WorkAttempts(
            owner: "world", database: database, environment: environment, metrics: metrics, logger: logger
        )
        let apps = AppService(
            database: database, environment: environment, vault: CredentialVault(keys: keys),
            endpointPolicy: .publicOnly
        )
        (app, apiKey) = try await apps.create(code: "shop", name: "Shop")
        try await apps.putAPNsCredentials(TestKeys.apns(), app: app)
    }

    /// The same in which a fifth of a second has passed whenever the clock is asked.
    var slowEnvironment: ServerEnvironment {
        ServerEnvironment(
            now: { [clock] in
                clock.advance(by: 0.2)
                return clock.now
            },
            randomBytes: environment.randomBytes, jitter: environment.jitter, uuid: environment.uuid,
            sleepUntil: environment.sleepUntil
        )
    }

    private static func environment(_ clock: ManualClock) -> ServerEnvironment {
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
            sleepUntil: { try await clock.sleep(until: $0) }
        )
    }
}

extension ServiceWorld {
    var apps: AppService { apps(over: database) }
    func apps(over database: any SQLDatabase) -> AppService {
        AppService(
            database: database, environment: environment, vault: CredentialVault(keys: keys),
            endpointPolicy: .publicOnly
        )
    }
    var clients: ClientService { ClientService(database: database, keys: keys, environment: environment) }
    var links: LinkService { LinkService(database: database, keys: keys, environment: environment) }
    var authentication: CallerAuthentication { CallerAuthentication(keys: keys, environment: environment) }
    var registrations: RegistrationIngestion {
        RegistrationIngestion(database: database, keys: keys, environment: environment, received: received)
    }
    var processor: RegistrationProcessor { makeProcessor() }
    func makeProcessor(
        _ database: (any SQLDatabase)? = nil, attempts: WorkAttempts? = nil, received: AsyncSignal? = nil,
        groupSize: Int = RegistrationProcessor.groupSize
    ) -> RegistrationProcessor {
        RegistrationProcessor(
            database: database ?? self.database, environment: environment,
            attempts: attempts ?? makeAttempts(over: database), received: received ?? self.received, logger: logger,
            groupSize: groupSize
        )
    }

    /// - Parameters:
    ///   - owner: names a process; those that share a name live and die together.
    ///   - database: how that process sees it.
    func makeAttempts(_ owner: String = "world", over database: (any SQLDatabase)? = nil) -> WorkAttempts {
        guard database != nil || owner != attempts.owner else { return attempts }
        return WorkAttempts(
            owner: owner, database: database ?? self.database, environment: environment, metrics: metrics,
            logger: logger
        )
    }
    var quarantine: QuarantineService {
        QuarantineService(database: database, environment: environment, signals: ServiceSignals())
    }
    var events: EventIngestion {
        EventIngestion(database: database, keys: keys, environment: environment, metrics: metrics)
    }
    func gauge(_ question: GaugeQuestion) -> RegularGauge {
        RegularGauge(question, environment: environment, metrics: metrics, logger: logger)
    }
    var accounts: PushAccounts {
        PushAccounts(vault: CredentialVault(keys: keys), exchange: exchange, environment: environment)
    }
    var campaigns: CampaignServices { campaigns(over: database) }
    func campaigns(over database: any SQLDatabase) -> CampaignServices {
        CampaignServices(
            database: database, environment: environment,
            tests: TestDelivery(accounts: accounts, transport: transport, keys: keys), work: work
        )
    }
    func inAppPlanner(_ database: (any SQLDatabase)? = nil, attempts: WorkAttempts? = nil) -> InAppPlanner {
        InAppPlanner(
            database: database ?? self.database, environment: environment,
            attempts: attempts ?? makeAttempts(over: database), logger: logger
        )
    }
    var planner: CampaignPlanner { makePlanner() }
    func makePlanner(_ database: (any SQLDatabase)? = nil, attempts: WorkAttempts? = nil) -> CampaignPlanner {
        CampaignPlanner(
            database: database ?? self.database, environment: environment,
            attempts: attempts ?? makeAttempts(over: database), logger: logger
        )
    }
    var directory: DirectoryQueries { DirectoryQueries(database: database) }
    var explainer: Explainer { Explainer(database: database, environment: environment) }
    var access: AdminAccess { AdminAccess(rootKey: TestKeys.rootKey, database: database, environment: environment) }

    /// A worker; others than the first need a name, and may have their own transport and their own view of the
    /// database.
    func dispatcher(
        _ owner: String = "a", transport: ScriptedTransport? = nil, database: (any SQLDatabase)? = nil,
        attempts: WorkAttempts? = nil, work: AsyncSignal? = nil
    ) -> CampaignDispatcher {
        CampaignDispatcher(
            owner: owner, pipeline: pipeline(over: database, transport: transport, attempts: attempts),
            work: work ?? AsyncSignal()
        )
    }
    func pipeline(
        over database: (any SQLDatabase)?, transport: (any PushTransport)?, attempts: WorkAttempts?
    ) -> PushPipeline {
        PushPipeline(
            database: database ?? self.database, environment: environment,
            attempts: attempts ?? makeAttempts(over: database), accounts: accounts,
            transport: transport ?? self.transport, keys: keys, metrics: metrics, logger: logger
        )
    }

    /// Applies every registration that was received.
    func process() async throws {
        while try await processor.processWaiting() > 0 {}
    }

    /// Sends until nothing is left to do, and lets the time pass that retries ask for.
    func sendToTheEnd() async throws {
        let dispatcher = dispatcher()
        await dispatcher.runUntilIdle()
        while let due = try await nextDue() {
            clock.advance(to: due)
            await dispatcher.runUntilIdle()
        }
    }

    /// When there is something to do for a worker again.
    private func nextDue() async throws -> Date? {
        let (owner, now) = (attempts.owner, clock.now)
        return try await database.read { connection in
            [try connection.batches.nextDue(), try connection.campaigns.nextScheduled(for: owner, now: now)]
                .compactMap { $0 }.min()
        }
    }

    /// Lets time pass, with a worker at work whenever there is something to do.
    func send(until date: Date) async throws {
        let dispatcher = dispatcher()
        await dispatcher.runUntilIdle()
        while let due = try await nextDue(), due <= date {
            clock.advance(to: due)
            await dispatcher.runUntilIdle()
        }
        clock.advance(to: date)
        await dispatcher.runUntilIdle()
    }

    /// What the operators see of a device.
    func profile(_ device: ServiceDevice) async throws -> DeviceProfile {
        try await directory.device(device.client.rawValue, app: app)
    }
}
