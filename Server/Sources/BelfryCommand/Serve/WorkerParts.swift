import BelfryServices
import BelfryStore
import Logging
import ServiceLifecycle

/// The services of a server with the role `worker` beside its API: registrations, campaigns, and periodic work.
struct WorkerParts {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    let accounts: PushAccounts
    let transport: any PushTransport
    let signals: ServiceSignals
    let previews: CampaignPreviewer
    let metrics: Metrics
    let traces: TraceLog?
    let logger: Logger

    /// The services in their start order.
    func services() -> [any Service] {
        let attempts = WorkAttempts(
            owner: environment.uuid().uuidString, database: database, environment: environment, metrics: metrics,
            logger: logger
        )
        let pipeline = PushPipeline(
            database: database, environment: environment, attempts: attempts, accounts: accounts,
            transport: transport, keys: keys, metrics: metrics, traces: traces, logger: logger
        )
        let (campaignClock, silentPushClock, statisticsClock) = (ClockWatch(), ClockWatch(), ClockWatch())
        return [
            RegistrationProcessor(
                database: database, environment: environment, attempts: attempts, received: signals.registrations,
                logger: logger
            ),
            AttributeReviewer(database: database, environment: environment, attempts: attempts, logger: logger),
            ContactFollower(database: database, environment: environment, attempts: attempts, logger: logger),
            Housekeeping(database: database, environment: environment, attempts: attempts, logger: logger),
            StatisticsSummation(
                database: database, environment: environment, attempts: attempts, logger: logger, clock: statisticsClock
            ),
            CampaignDispatcher(
                owner: environment.uuid().uuidString, pipeline: pipeline, work: signals.campaigns, clock: campaignClock
            ),
            SilentPushSender(
                owner: environment.uuid().uuidString, pipeline: pipeline, work: signals.silentPushes,
                clock: silentPushClock
            ),
            MessageRecaller(
                recall: MessageRecall(database: database, environment: environment), attempts: attempts, logger: logger
            ),
            RehearsalWorker(
                owner: environment.uuid().uuidString, previews: previews, work: signals.rehearsals, logger: logger
            ),
            LeaseWatch(
                database: database, environment: environment,
                clocks: [campaignClock, silentPushClock, statisticsClock], logger: logger
            ),
            // The last service in the list is the first to learn that the process is to end.
            OrderlyStop(attempts: attempts, database: database, logger: logger),
        ]
    }
}
