import BelfryStore
import Foundation

/// The use cases behind the API, over one database.
///
/// It is a class because every request takes it along: a value would be copied with its hundreds of references each
/// time.
package final class APIServices: Sendable {
    package let clients: ClientService
    package let links: LinkService
    package let authentication: CallerAuthentication
    package let registrations: RegistrationIngestion
    package let events: EventIngestion
    package let inbox: InboxService
    package let inApp: InAppService
    package let v3InAppMessages: V3InAppService
    package let badges: BadgeService
    package let campaigns: CampaignServices
    package let rehearsals: RehearsalService
    package let campaignVersions: CampaignVersionService
    package let campaignReviews: CampaignReviewService
    package let campaignSearch: CampaignSearch
    package let apps: AppService
    package let credentialCheck: CredentialCheck
    package let messageCenters: MessageCenterService
    package let placedMessages: PlacedMessageService
    package let access: AdminAccess
    package let adminKeys: AdminKeyService
    package let users: UserService
    package let signIn: SignInService
    /// Sign-in by an identity provider. Nil when people sign in by password only.
    package let providerSignIn: ProviderSignIn?
    package let directory: DirectoryQueries
    package let contacts: ContactService
    package let explainer: Explainer
    package let quarantine: QuarantineService
    package let statistics: StatisticsService
    package let calendar: CalendarService
    package let recipients: RecipientQueries
    package let search: SearchService
    package let readiness: Readiness
    package let storage: StorageWatch
    package let metrics: Metrics
    package let rates: MetricRates
    package let operations: OperationsQueries
    package let limits: RequestLimits
    package let idempotency: IdempotencyStore
    /// Limits previews, dry runs, counts, searches and comparisons.
    package let previews: PreviewLimiter
    /// Limits test messages, each of which may wait long for a push service.
    package let testSends: PreviewLimiter
    /// The server's public address and version, which websites refer to.
    package let publicServer: PublicServer
    package let now: @Sendable () -> Date
    /// Returns cryptographically secure bytes.
    package let randomBytes: @Sendable (_ count: Int) -> [UInt8]

    /// - Parameters:
    ///   - rootKey: the operator's key of the server's first start.
    ///   - accounts: the sessions with the push services, for test sends by `transport`.
    ///   - storage: knows whether the store can take more data.
    ///   - bells: rung when there is work for the senders and processors.
    ///   - publicServer: the server's address and version, for websites.
    ///   - traces: collects traces of ledger rows; nil when nobody collects them.
    ///   - provider: the identity provider by which people sign in to the console.
    package init(
        database: any SQLDatabase, keys: ServerKeys, rootKey: String, endpointPolicy: EndpointPolicy,
        accounts: PushAccounts, transport: any PushTransport, signals: ServiceSignals, metrics: Metrics,
        limits: RequestLimits,
        storage: StorageWatch, environment: ServerEnvironment, publicServer: PublicServer, traces: TraceLog? = nil,
        provider: ProviderSignIn.Connection? = nil
    ) {
        self.publicServer = publicServer
        clients = ClientService(database: database, keys: keys, environment: environment)
        links = LinkService(database: database, keys: keys, environment: environment)
        authentication = CallerAuthentication(keys: keys, environment: environment)
        registrations = RegistrationIngestion(
            database: database, keys: keys, environment: environment, received: signals.registrations
        )
        events = EventIngestion(database: database, keys: keys, environment: environment, metrics: metrics)
        inbox = InboxService(database: database, keys: keys, environment: environment)
        let caches = InAppCaches()
        inApp = InAppService(
            database: database, keys: keys, environment: environment, traces: traces, caches: caches
        )
        v3InAppMessages = V3InAppService(
            database: database, keys: keys, environment: environment, traces: traces, caches: caches
        )
        badges = BadgeService(database: database, keys: keys)
        campaigns = CampaignServices(
            database: database, environment: environment,
            tests: TestDelivery(accounts: accounts, transport: transport, keys: keys), work: signals.campaigns,
            inAppWork: signals.silentPushes
        )
        campaignVersions = CampaignVersionService(
            database: database, environment: environment, inAppWork: signals.silentPushes
        )
        campaignReviews = CampaignReviewService(database: database, environment: environment)
        campaignSearch = CampaignSearch(database: database)
        rehearsals = RehearsalService(database: database, environment: environment, work: signals.rehearsals)
        let keyHashes = KnownNames<[UInt8]>()
        apps = AppService(
            database: database, environment: environment, vault: CredentialVault(keys: keys),
            endpointPolicy: endpointPolicy, keyHashes: keyHashes
        )
        credentialCheck = CredentialCheck(accounts: accounts, transport: transport, environment: environment)
        messageCenters = MessageCenterService(database: database, environment: environment)
        placedMessages = PlacedMessageService(database: database, environment: environment)
        access = AdminAccess(
            rootKey: rootKey, database: database, environment: environment, hashes: keyHashes
        )
        adminKeys = AdminKeyService(database: database, keys: keys, environment: environment, hashes: keyHashes)
        let hasher = PasswordHasher()
        users = UserService(database: database, environment: environment, hasher: hasher)
        signIn = SignInService(database: database, environment: environment, hasher: hasher, keys: keys)
        if let provider {
            providerSignIn = ProviderSignIn(
                provider, keys: keys, users: users, signIn: signIn, environment: environment
            )
        } else {
            providerSignIn = nil
        }
        directory = DirectoryQueries(database: database)
        contacts = ContactService(database: database, environment: environment)
        explainer = Explainer(database: database, environment: environment)
        quarantine = QuarantineService(
            database: database, environment: environment, signals: signals, traces: traces
        )
        statistics = StatisticsService(database: database, environment: environment)
        calendar = CalendarService(database: database, environment: environment)
        recipients = RecipientQueries(database: database)
        search = SearchService(database: database)
        readiness = Readiness(database: database, storage: storage, environment: environment)
        self.storage = storage
        self.metrics = metrics
        rates = MetricRates(metrics, environment: environment)
        operations = OperationsQueries(database: database, environment: environment)
        self.limits = limits
        previews = PreviewLimiter(of: "previews, dry runs, counts, searches and comparisons", metrics: metrics)
        testSends = PreviewLimiter(of: "test sends", metrics: metrics)
        idempotency = IdempotencyStore(
            database: database, keys: keys, limits: limits, storage: storage, environment: environment
        )
        now = environment.now
        randomBytes = environment.randomBytes
    }
}
