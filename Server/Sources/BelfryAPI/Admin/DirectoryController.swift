import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Devices, their events, contacts, and why a device did or did not get a campaign (ADM-2, LED-2).
struct DirectoryController: Sendable {
    static let standardEvents = 100
    static let standardMessages = 50
    static let maximumMessages = 200

    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        let app = group.group("apps/:app")
        app.get("devices/:clientId", use: device)
        app.get("devices/:clientId/events", use: events)
        app.get("devices/:clientId/messages", use: messages)
        app.get("contacts/:contactKey", use: contact)
        app.get("explain", use: explain)
    }

    private func device(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let profile = try await services.directory.device(context.pathParameter("clientId"), app: app)
        return try Response.json(DeviceAnswer(profile, maximumBadge: app.settings.maximumBadge))
    }

    private func events(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let page = try PageQuery(request, standard: Self.standardEvents, maximum: Directory.maximumEvents)
        let (events, cursor) = try await services.directory.events(
            of: context.pathParameter("clientId"), app: app, matching: try EventQuery(request).filter,
            cursor: page.cursor, limit: page.limit
        )
        let entries = events.map {
            DeviceEventsAnswer.Entry(
                id: $0.eventID, name: $0.name, timestamp: Timestamp.text($0.deviceAt ?? $0.at),
                correctedTimestamp: $0.deviceAt == nil ? nil : Timestamp.text($0.at), attributes: $0.attributes
            )
        }
        return try Response.json(DeviceEventsAnswer(events: entries, cursor: cursor))
    }

    /// What became of each campaign at the device, the newest campaign first (LED-2).
    private func messages(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let page = try PageQuery(request, standard: Self.standardMessages, maximum: Self.maximumMessages)
        // One more than is shown tells whether there is a next page.
        let found = try await services.explainer.messages(
            of: context.pathParameter("clientId"), app: app, before: page.number(), limit: page.limit + 1
        )
        let shown = found.prefix(page.limit)
        let answer = DeviceMessagesAnswer(
            messages: shown.map(DeviceMessagesAnswer.Entry.init),
            cursor: found.count > shown.count ? shown.last?.campaign.id.description : nil
        )
        return try Response.json(answer)
    }

    private func contact(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let profile = try await services.directory.contact(context.pathParameter("contactKey"), app: app)
        return try Response.json(ContactAnswer(profile))
    }

    private func explain(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let campaign = try Self.parameter("campaign", of: request)
        let device = try Self.parameter("device", of: request)
        guard let id = CampaignID(campaign) else {
            throw ServiceError.notFound(what: "campaign", id: String(campaign.prefix(32)))
        }
        return try Response.json(ExplainAnswer(try await services.explainer.explain(id, device: device, app: app)))
    }

    private static func parameter(_ name: String, of request: Request) throws(APIError) -> String {
        guard let value = request.uri.queryParameters[name[...]], !value.isEmpty else {
            throw .missing(name, "Ask with ?campaign=ID&device=ID; '\(name)' is missing.")
        }
        return String(value)
    }
}
