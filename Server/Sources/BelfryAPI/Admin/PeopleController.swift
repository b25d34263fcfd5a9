import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The list of contacts, and how one goes: as an orphan, or because its person asked for it (REG-24, REG-36).
struct PeopleController: Sendable {
    static let standardPage = 100
    static let maximumPage = 1_000

    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        let contacts = group.group("apps/:app/contacts")
        contacts.get(use: list)
        contacts.delete(":contactKey", use: removeOrphan)
        contacts.post(":contactKey/erase", use: erase)
    }

    private func list(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let page = try PageQuery(request, standard: Self.standardPage, maximum: Self.maximumPage)
        let found = try await services.directory.contacts(
            app: app, orphaned: try Self.isOrphaned(request), before: page.number(), limit: page.limit
        )
        let answer = ContactListAnswer(
            contacts: found.contacts.map {
                .init(
                    contactKey: $0.key, known: $0.known, createdAt: Timestamp.text($0.createdAt),
                    lastOpenedAt: $0.lastOpenedAt.map(Timestamp.text)
                )
            },
            cursor: found.next.map { String($0) }
        )
        return try Response.json(answer)
    }

    private func removeOrphan(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let number = try await services.contacts.removeOrphan(context.pathParameter("contactKey"), app: app)
        // Not its key: a person is not to outlive in the log.
        try await services.audit(context, "contact.delete", app: app, target: String(number))
        return Response(status: .noContent)
    }

    private func erase(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let key = try context.pathParameter("contactKey")
        let erasure = try await services.contacts.erase(key, app: app)
        try await services.audit(context, "contact.erase", app: app, target: String(erasure.number))
        return try Response.json(
            ContactErasureAnswer(contactKey: key, devices: erasure.devices, events: erasure.events)
        )
    }

    private static func isOrphaned(_ request: Request) throws(APIError) -> Bool {
        guard let value = request.uri.queryParameters["orphaned"] else { return false }
        switch value.lowercased() {
        case "", "true": return true
        case "false": return false
        default: throw APIError(.badRequest, ErrorCode.badRequest, "It is true or false.", target: "orphaned")
        }
    }
}
