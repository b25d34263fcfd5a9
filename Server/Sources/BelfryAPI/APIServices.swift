import BelfryServices
import Foundation

/// The use cases behind the API, composed by the program.
package struct APIServices: Sendable {
    let clients: ClientService
    let links: LinkService
    let authentication: CallerAuthentication
    let registrations: RegistrationIntake
    let events: EventIntake
    let inbox: InboxService
    let inApp: InAppService
    let overlays: OverlayService
    let badges: BadgeService
    let campaigns: CampaignService
    let apps: AppService
    let messageCenters: MessageCenterService
    let access: AdminAccess
    let directory: Directory
    let contacts: ContactService
    let explainer: Explainer
    let health: Health
    let metrics: Metrics
    let limits: RequestLimits
    let idempotency: IdempotentWrites
    let now: @Sendable () -> Date

    package init(
        clients: ClientService, links: LinkService, authentication: CallerAuthentication,
        registrations: RegistrationIntake, events: EventIntake, inbox: InboxService, inApp: InAppService,
        overlays: OverlayService, badges: BadgeService, campaigns: CampaignService, apps: AppService,
        messageCenters: MessageCenterService, access: AdminAccess, directory: Directory, contacts: ContactService,
        explainer: Explainer, health: Health,
        metrics: Metrics, limits: RequestLimits, idempotency: IdempotentWrites, environment: ServerEnvironment
    ) {
        self.clients = clients
        self.links = links
        self.authentication = authentication
        self.registrations = registrations
        self.events = events
        self.inbox = inbox
        self.inApp = inApp
        self.overlays = overlays
        self.badges = badges
        self.campaigns = campaigns
        self.apps = apps
        self.messageCenters = messageCenters
        self.access = access
        self.directory = directory
        self.contacts = contacts
        self.explainer = explainer
        self.health = health
        self.metrics = metrics
        self.limits = limits
        self.idempotency = idempotency
        now = environment.now
    }
}
