import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for rehearsals: a campaign run over its whole audience in virtual time, before its launch (CON-12,
/// CON-13).
package enum RehearsalRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)
    private static let path = "/campaigns/{id}/rehearsals"

    static let all = [
        startRehearsal.route, listRehearsals.route, readRehearsal.route, cancelRehearsal.route,
        listRehearsedDevices.route, compareRehearsal.route,
    ]

    package static let startRehearsal = AdminRoute(
        .post(audit: "campaign.rehearse", to: .campaign), inApp: path, id: "startRehearsal", .campaigns,
        scope: .campaign,
        summary: "Rehearse a campaign",
        description: """
            Runs the campaign over its whole audience in virtual time, as if it were launched now, with the rules by \
            which it is sent. Nothing is sent, and nothing but the result is stored. It runs in the background: read it \
            until `status` is `done`. A rehearsal of the same draft that is still running is returned instead of a new \
            one. The last \(RehearsalService.keptPerCampaign) of a campaign are kept, and those that approvals refer to. \
            A campaign that has begun is a conflict.
            """,
        response: "The rehearsal waits for its turn.", status: .accepted, does: start
    )

    package static let listRehearsals = AdminRoute(
        .get, inApp: path, id: "listRehearsals", .campaigns, scope: .read, summary: "List a campaign's rehearsals",
        description: "Newest first, without their results.", response: "The rehearsals that are kept.",
        does: list
    )

    package static let readRehearsal = AdminRoute(
        .get, inApp: "\(path)/{rehearsal}", id: "readRehearsal", .campaigns, scope: .read,
        summary: "Show a rehearsal: its progress and its results",
        response: "The rehearsal; its figures once it is done.", does: read
    )

    package static let cancelRehearsal = AdminRoute(
        .post(audit: "campaign.rehearsal.cancel", to: .campaign), inApp: "\(path)/{rehearsal}/cancel",
        id: "cancelRehearsal",
        .campaigns, scope: .campaign, summary: "Cancel a rehearsal",
        description: "Its results so far are removed. A rehearsal that has ended stays as it is.",
        response: "The rehearsal's status.", status: .accepted, does: cancel
    )

    package static let listRehearsedDevices = AdminRoute(
        .get, inApp: "\(path)/{rehearsal}/devices", id: "listRehearsedDevices", .campaigns, scope: .read,
        summary: "List the devices behind a number of a rehearsal",
        description: """
            In the order of registration; all given conditions must hold. Devices that were removed or erased since \
            are left out. One response looks through a limited number of devices: a page may hold fewer than its limit, \
            even none, and continues by its cursor. A rehearsal of an older version of the server does not know \
            `by` and `message`: this is a conflict.
            """,
        parameters: deviceParameters + page.parameters, response: "One page.", errors: [.conflict], does: devices
    )

    package static let compareRehearsal = AdminRoute(
        .get, inApp: "\(path)/{rehearsal}/comparison", id: "compareRehearsal", .campaigns, scope: .read,
        summary: "Compare a rehearsal with the campaign's outcome",
        description: """
            Each device's outcome beside the ledger's. Where they differ, `cause` says why. Before the launch it is a \
            conflict.
            """,
        response: "What is the same, and what differs.", errors: [.conflict, .ledgerRemoved], does: compare
    )
}

extension RehearsalRoutes {
    private static func start(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<RehearsalStatusResponse> {
        let id = try call.campaign()
        return Done(
            RehearsalStatusResponse(try await call.services.rehearsals.start(id, app: app)), to: id.description
        )
    }

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<RehearsalListResponse> {
        let found = try await call.services.rehearsals.list(of: try call.campaign(), app: app)
        return Done(RehearsalListResponse(rehearsals: found.map(RehearsalListResponse.Entry.init)))
    }

    private static func read(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<RehearsalResponse> {
        let service = call.services.rehearsals
        let rehearsal = try await service.find(call.rehearsal(), of: call.campaign(), app: app)
        guard rehearsal.figures != nil else { return Done(RehearsalResponse(rehearsal, samples: [], former: nil)) }
        let samples = try await service.samples(of: rehearsal)
        return Done(RehearsalResponse(rehearsal, samples: samples, former: try await service.former(of: rehearsal)))
    }

    private static func cancel(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<RehearsalStatusResponse> {
        let id = try call.campaign()
        let rehearsal = try await call.services.rehearsals.cancel(call.rehearsal(), of: id, app: app)
        return Done(RehearsalStatusResponse(rehearsal), to: id.description)
    }

    private static func devices(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<RehearsedDevicesResponse> {
        let page = try call.page(Self.page)
        let rehearsal = try await call.services.rehearsals.find(call.rehearsal(), of: call.campaign(), app: app)
        let found = try await call.services.rehearsals.people(
            in: rehearsal, try call.rehearsedSelection(), after: page.number(), limit: page.limit
        )
        let response = RehearsedDevicesResponse(
            devices: found.people.map(RehearsalResponse.Sample.init), cursor: found.next.map { String($0) }
        )
        return Done(response)
    }

    private static func compare(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<RehearsalComparisonResponse> {
        let (number, id) = (try call.rehearsal(), try call.campaign())
        let comparison = try await call.costlyRead {
            try await call.services.rehearsals.comparison(number, of: id, app: app)
        }
        return Done(RehearsalComparisonResponse(comparison))
    }
}

extension AdminCall {
    /// The rehearsal that the address names.
    fileprivate func rehearsal() throws -> Int64 {
        let text = try part("rehearsal")
        guard let number: Int64 = WholeNumber.read(text) else {
            throw ServiceError.notFound(what: "rehearsal", id: String(text.prefix(32)))
        }
        return number
    }
}
