import BelfryModel
import BelfryServerModel
import BelfryServices

/// The pages with the versions of a campaign and their differences (CON-5).
enum VersionPages {
    /// The number of versions on a page; no campaign keeps more.
    static let pageSize = 100

    static func history(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        let campaign = try await call.services.campaigns.queries.campaign(id, app: app)
        let versions = try await call.services.campaignVersions.list(of: id, app: app, before: nil, limit: pageSize)
        let approval = try await call.services.campaignReviews.approval(of: id, app: app)
        let model = HistoryModel(
            versions, approval: approval, campaign: campaign, zone: AppZone(app.settings),
            page: call.link("/campaigns/\(id)")
        )
        return .page(Page("Versions", template: "versions", section: .campaigns, model: model))
    }

    static func version(_ call: ConsoleCall) async throws -> ConsoleResponse {
        .page(try await shown(call))
    }

    static func restore(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, number) = (try call.campaign(), try call.version())
        do {
            _ = try await call.services.campaignVersions.restore(
                number, of: id, from: DraftVersion(text: call.form["present"]), by: try call.principal().author,
                app: try call.inApp()
            )
        } catch let error as ServiceError {
            return try await rejected(error, call)
        }
        return .redirect(
            call.link("/campaigns/\(id)"), notice: .done("The draft has the content of version \(number) again.")
        )
    }

    static func publish(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, number, app) = (try call.campaign(), try call.version(), try call.inApp())
        do {
            _ = try await call.services.campaignVersions.publish(
                number, of: id, by: try call.principal().author, app: app
            )
        } catch let error as ServiceError {
            return try await rejected(error, call)
        }
        call.services.apps.v3InAppMessages.forget(app: app.id)
        return .redirect(
            call.link("/campaigns/\(id)"),
            notice: .done("Version \(number) is published. Devices get it when they sync.")
        )
    }

    private static func rejected(_ error: ServiceError, _ call: ConsoleCall) async throws -> ConsoleResponse {
        let problem = ErrorPage(error)
        return .pageWithStatus(try await shown(call, problem: problem.sentence), problem.status)
    }

    private static func shown(_ call: ConsoleCall, problem: String? = nil) async throws -> Page {
        let (id, number, app) = (try call.campaign(), try call.version(), try call.inApp())
        let service = call.services.campaignVersions
        let model = VersionModel(
            try await content(call, isRejection: problem != nil),
            others: try await service.list(of: id, app: app, before: nil, limit: pageSize),
            campaign: try await call.services.campaigns.queries.campaign(id, app: app),
            present: VersionModel.Present(
                zone: AppZone(app.settings), page: call.link("/campaigns/\(id)"), rights: try call.rights(),
                formToken: try call.signedIn().formToken, problem: problem
            )
        )
        return Page("Version \(number)", template: "version", section: .campaigns, model: model)
    }

    /// - Parameter isRejection: whether the page has to say why a step was refused. Then it is also shown, without a
    ///   comparison, when too many comparisons run at the moment.
    private static func content(_ call: ConsoleCall, isRejection: Bool) async throws -> VersionModel.Content {
        let (id, number, app) = (try call.campaign(), try call.version(), try call.inApp())
        let service = call.services.campaignVersions
        do {
            let comparison = try await call.services.previews.pass(try call.principal()) {
                try await service.compare(number, with: WholeNumber.read(call.query["from"]), of: id, app: app)
            }
            return .compared(comparison)
        } catch ServiceError.tooManyCalls(let limit, let message, let wait) where isRejection {
            let busy = ErrorPage(ServiceError.tooManyCalls(limit: limit, message: message, retryAfter: wait))
            let found = try await service.find(number, of: id, app: app)
            return .alone(
                found.version, says: found.draft, why: "It cannot be compared at this moment. \(busy.sentence)"
            )
        }
    }
}

extension ConsoleCall {
    /// The version that the address names.
    fileprivate func version() throws -> Int64 {
        let text = try part("version")
        guard let number: Int64 = WholeNumber.read(text) else {
            throw ServiceError.notFound(what: "version", id: String(text.prefix(32)))
        }
        return number
    }
}
