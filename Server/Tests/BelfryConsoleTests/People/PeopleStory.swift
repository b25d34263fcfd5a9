import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation

@testable import BelfryConsole

/// What stories about people have in common: an app, and people who come with their phones.
struct PeopleStory: Sendable {
    let console: TestConsole
    let app: AppService.App

    static let list = "/console/apps/shop/people"

    init(_ console: TestConsole) async throws {
        self.console = console
        app = try await console.services.apps.create(code: "shop", name: "Shop").app
        try await console.services.apps.defineAttribute("city", type: .string, app: app)
        try await console.services.apps.defineAttribute("visits", type: .number, app: app)
        try await console.services.apps.putAPNsCredentials(CampaignStory.credentials, app: app)
    }

    /// A phone, as the services see it.
    struct Phone: Sendable {
        var caller: Caller
        var reference: String?
    }

    private func caller(_ client: String) throws -> Caller {
        Caller(
            app: app, client: try DeviceID(client), state: nil, token: nil,
            order: RequestOrder(header: nil, now: console.clock.now, maximumAhead: 300)
        )
    }

    /// A person logs in on a new installation; the number of the contact comes back.
    @discardableResult
    func login(_ key: String, on client: String, token: String? = nil) async throws -> (phone: Phone, contact: Int64) {
        var phone = Phone(caller: try caller(client))
        let answer = try await console.services.links.identify(
            try ContactKey(key), field: nil, caller: phone.caller
        )
        phone.caller.state = answer.clientState
        phone.caller.token = answer.value.contactToken
        phone.reference = answer.value.contactReference
        if let token {
            let pushToken = try console.services.clients.pushToken(token, provider: .apns, environment: .production)
            let caller = try console.services.authentication.authenticate(phone.caller)
            _ = try await console.services.clients.putPushToken(pushToken, caller: caller)
        }
        return (phone, try await number(key))
    }

    func number(_ key: String) async throws -> Int64 {
        try await console.services.directory.person(.key(key), app: app).contact.id
    }

    func track(_ name: String, _ attributes: String = "{}", on phone: Phone) async throws {
        let event = Event(
            id: try EventID("id-\(console.clock.now.timeIntervalSince1970)"), kind: .custom, name: try EventName(name),
            timestamp: console.clock.now, attributes: attributes, contactReference: phone.reference
        )
        let caller = try console.services.authentication.authenticate(phone.caller)
        _ = try await console.services.events.store([event], caller: caller)
    }

    /// Says of a contact what devices could have said.
    func describe(_ key: String, _ change: @escaping @Sendable (inout ContactRow) -> Void) async throws {
        let (number, now) = (try await number(key), console.clock.now)
        try await console.database.write { connection in
            guard var contact = try connection.contacts.find(id: number) else { return }
            change(&contact)
            try connection.contacts.save(contact, now: now)
        }
    }

    /// A campaign that everybody gets now.
    func send(_ name: String) async throws -> CampaignID {
        let draft = CampaignDraft(
            name: name, kind: .push, audience: .everyone, push: PushContent(title: "Hi", body: "Only today")
        )
        let id = try await console.services.campaigns.drafts.create(draft, app: app).id
        _ = try await console.services.campaigns.life.launch(id, app: app)
        await console.dispatcher.runUntilIdle()
        return id
    }

    func person(_ role: UserRole) async throws -> Browser {
        try await console.visitor(as: role.rawValue, roles: [app.id: role])
    }

    /// What the audit log has of the app, the newest first.
    func audited() async throws -> [String] {
        try await console.services.access.log.list(
            matching: AuditLog.Search(app: app.code.rawValue), before: nil, limit: 50
        ).entries.map { "\($0.actor) \($0.action) \($0.target ?? "")" }
    }
}
