import BelfryModel
import BelfryServices
import BelfryWire

/// The routes for work in quarantine (SEC-8). The key of an app sees and changes the work of that app. The root key
/// sees and changes everything, including upkeep, which belongs to no app.
package enum QuarantineRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [listQuarantine.route, retryWork.route, dropWork.route]

    package static let listQuarantine = AdminRoute(
        .get, "/quarantine", id: "listQuarantine", .service, scope: .read, summary: "List quarantined work",
        description: """
            Work that failed or ended the process three times, each time alone. Newest first. The key of an app sees \
            only the work of that app.
            """,
        parameters: page.parameters, response: "One page.", does: list
    )

    package static let retryWork = AdminRoute(
        .post(audit: "quarantine.retry", to: .quarantinedWork), "/quarantine/{work}/retry", id: "retryWork", .service,
        scope: .admin,
        summary: "Retry quarantined work",
        description: """
            It is tried alone, with its attempts reset. A campaign continues. One that cannot be read is quarantined \
            again, with the reason, and that is a conflict (`setAsideAgain`).
            """,
        response: "The work is in the queue.", errors: [.notFound], isAcceptedOnFullDisk: true, does: retry
    )

    package static let dropWork = AdminRoute(
        .delete(audit: "quarantine.drop", to: .quarantinedWork), "/quarantine/{work}", id: "dropWork", .service,
        scope: .admin,
        summary: "Drop quarantined work",
        description: """
            Pending messages of a batch end as rejected (`quarantined`). A campaign whose planning is dropped is \
            cancelled. A silent push is not sent. A registration stays rejected. A review of attributes continues after \
            the contacts or registrations at which it failed. A contact's devices keep what they have until it changes \
            again. A maintenance step, and events on their way to a contact, are a conflict.
            """,
        response: "The work was dropped.", errors: [.notFound], does: drop
    )

    private static func list(_ call: AdminCall<NoBody>) async throws -> Done<QuarantineResponse> {
        let page = try call.page(Self.page)
        let found = try await call.services.quarantine.list(
            app: call.context.principal.app, before: page.number(), limit: page.limit
        )
        let response = QuarantineResponse(
            work: found.work.map(QuarantineResponse.Entry.init), cursor: found.next.map { String($0) }
        )
        return Done(response)
    }

    /// A body is ignored.
    private static func retry(_ call: AdminCall<NoBody>) async throws -> Done<NoBody> {
        let retry = try await call.services.quarantine.retry(call.part("work"), app: call.context.principal.app)
        guard case .quarantined(let work) = retry else { return Done(to: retry.work.name, app: retry.work.app) }
        let error = APIError(
            .conflict, ErrorCode.quarantinedAgain,
            "\(work.name) was retried and is quarantined again. \(work.reason) Fix the cause and retry it, or drop "
                + "it."
        )
        return Done(error, to: work.name, app: work.app)
    }

    private static func drop(_ call: AdminCall<NoBody>) async throws -> Done<NoBody> {
        let work = try await call.services.quarantine.drop(call.part("work"), app: call.context.principal.app)
        return Done(to: work.name, app: work.app)
    }
}

extension QuarantineResponse.Entry {
    fileprivate init(_ work: QuarantinedWork) {
        self.init(
            id: work.name, kind: work.kind, app: work.app?.rawValue, campaign: work.campaign?.description,
            attempts: work.attempts, reason: work.reason, since: Timestamp.text(work.since)
        )
    }
}
