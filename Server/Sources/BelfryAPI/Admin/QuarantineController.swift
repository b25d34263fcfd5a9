import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Work that is set aside, and what operators do about it (SEC-8). The key of an app sees and changes what belongs to
/// that app; the root key everything, upkeep too, which belongs to none.
struct QuarantineController: Sendable {
    static let standardPage = 100
    static let maximumPage = 1_000

    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        group.get("quarantine", use: list)
        group.post("quarantine/:work/retry", use: retry)
        group.delete("quarantine/:work", use: drop)
    }

    private func list(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        try context.principal.require(.read)
        let page = try PageQuery(request, standard: Self.standardPage, maximum: Self.maximumPage)
        let found = try await services.quarantine.list(
            app: context.principal.app, before: page.number(), limit: page.limit
        )
        return try Response.json(
            QuarantineAnswer(
                work: found.work.map(QuarantineAnswer.Entry.init), cursor: found.next.map { String($0) }
            )
        )
    }

    /// A body says nothing.
    private func retry(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        try context.principal.require(.admin)
        let work = try await services.quarantine.retry(
            context.pathParameter("work"), app: context.principal.app
        )
        try await audit(context, "quarantine.retry", work)
        return Response(status: .noContent)
    }

    private func drop(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        try context.principal.require(.admin)
        let work = try await services.quarantine.drop(
            context.pathParameter("work"), app: context.principal.app
        )
        try await audit(context, "quarantine.drop", work)
        return Response(status: .noContent)
    }

    private func audit(_ context: AdminRequestContext, _ action: String, _ work: QuarantinedWork) async throws {
        try await services.access.audit(context.principal, action: action, app: work.app, target: work.name)
    }
}

extension QuarantineAnswer.Entry {
    fileprivate init(_ work: QuarantinedWork) {
        self.init(
            id: work.name, kind: work.kind, app: work.app?.rawValue, campaign: work.campaign?.description,
            attempts: work.attempts, reason: work.reason, since: Timestamp.text(work.since)
        )
    }
}
