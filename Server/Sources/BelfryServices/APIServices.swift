import BelfryStore
import Foundation

/// The use cases behind the API, over one database.
package struct APIServices: Sendable {
    package let clients: ClientService
    package let links: LinkService
    package let authentication: CallerAuthentication
    package let registrations: RegistrationIntake
    package let events: EventIntake
    package let inbox: InboxService
    package let inApp: InAppService
    package let overlays: OverlayService
    package let badges: BadgeService
    package let campaigns: CampaignService
    package let apps: AppService
    package let messageCenters: MessageCenterService
    package let access: AdminAccess
    package let directory: Directory
    package let contacts: ContactService
    package let explainer: Explainer
    package let health: Health
    package let metrics: Metrics
    package let limits: RequestLimits
    package let idempotency: IdempotentWrites
    package let now: @Sendable () -> Date

    /// - Parameters:
    ///   - rootKey: the operator's key of the server's first start.
    ///   - accounts: of the push services, for test sends by `carrier`.
    ///   - bells: are rung when there is work for the senders and processors.
    package init(
        database: any SQLDatabase, keys: ServerKeys, rootKey: String, endpointPolicy: EndpointPolicy,
        accounts: PushAccounts, carrier: any PushCarrier, bells: WorkBells, metrics: Metrics, limits: RequestLimits,
        environment: ServerEnvironment
    ) {
        clients = ClientService(database: database, keys: keys, environment: environment)
        links = LinkService(database: database, keys: keys, environment: environment)
        authentication = CallerAuthentication(keys: keys, environment: environment)
        registrations = RegistrationIntake(
            database: database, keys: keys, environment: environment, received: bells.registrations
        )
        events = EventIntake(database: database, keys: keys, environment: environment, metrics: metrics)
        inbox = InboxService(database: database, keys: keys, environment: environment)
        inApp = InAppService(database: database, keys: keys, environment: environment)
        overlays = OverlayService(database: database, keys: keys, environment: environment)
        badges = BadgeService(database: database, keys: keys)
        campaigns = CampaignService(
            database: database, environment: environment,
            tests: TestDelivery(accounts: accounts, carrier: carrier, keys: keys), work: bells.campaigns,
            inAppWork: bells.silentPushes
        )
        let keyHashes = KnownNames<[UInt8]>()
        apps = AppService(
            database: database, environment: environment, vault: CredentialVault(keys: keys),
            endpointPolicy: endpointPolicy, keyHashes: keyHashes
        )
        messageCenters = MessageCenterService(database: database, environment: environment)
        access = AdminAccess(
            rootKey: rootKey, database: database, environment: environment, hashes: keyHashes
        )
        directory = Directory(database: database)
        contacts = ContactService(database: database, environment: environment)
        explainer = Explainer(database: database, environment: environment)
        health = Health(database: database)
        self.metrics = metrics
        self.limits = limits
        idempotency = IdempotentWrites(database: database, keys: keys, environment: environment)
        now = environment.now
    }
}
