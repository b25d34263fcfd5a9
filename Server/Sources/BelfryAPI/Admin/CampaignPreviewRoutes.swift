import BelfryModel
import BelfryServices
import BelfryWire

/// The routes to try a campaign before its launch: preview, dry run, test send (CAMP-4, CAMP-7).
package enum CampaignPreviewRoutes {
    private static let testing = "campaign.test"

    static let all = [previewCampaign.route, dryRunCampaign.route, testCampaign.route]

    package static let previewCampaign = AdminRoute(
        .post(audit: "campaign.preview", to: .campaign), inApp: "/campaigns/{id}/preview", id: "previewCampaign",
        .campaigns,
        scope: .read, summary: "Show a campaign as real recipients would see it",
        description: "For the named devices, or for some of the audience. Nothing is sent.",
        response: "One preview for each device.", isAcceptedOnFullDisk: true, does: preview
    )

    package static let dryRunCampaign = AdminRoute(
        .post(audit: "campaign.dryRun", to: .campaign), inApp: "/campaigns/{id}/dry-run", id: "dryRunCampaign",
        .campaigns,
        scope: .read, summary: "Count who would get a campaign, who would not, and why",
        description: "As if it were launched now. Nothing is sent. A body is ignored.",
        response: "Totals for the audience, and some of its devices.", isAcceptedOnFullDisk: true, does: dryRun
    )

    package static let testCampaign = AdminRoute(
        .post(audit: testing, to: .campaign), inApp: "/campaigns/{id}/test", id: "testCampaign", .campaigns,
        scope: .campaign, summary: "Send a campaign to named devices before its launch",
        description: """
            At once, regardless of its audience and schedule. It does not count in the campaign's figures. A message \
            for a message center and an in-app message are given to the devices for a day by a copy of the campaign, \
            which no list shows; they are `pending` then.
            """,
        response: "The result for each device.", does: test
    )

    private static func preview(
        _ call: AdminCall<CampaignPreviewRequest>, app: AppService.App
    ) async throws -> Done<CampaignPreviewResponse> {
        let id = try call.campaign()
        let json = try await call.costlyRead { body in
            let count = try limit(of: body)
            let previews = try await naming(body.deviceIds ?? []) {
                try await call.services.campaigns.previews.preview(
                    id, devices: body.deviceIds, limit: count, app: app
                )
            }
            return try BoundedPreviews(previews).json
        }
        return Done(json: json, to: id.description)
    }

    /// The number of devices that a preview shows.
    private static func limit(of body: CampaignPreviewRequest) throws(APIError) -> Int {
        if let devices = body.deviceIds { try check(devices, maximum: PreviewLimits.maximumDevices) }
        let limit = body.limit ?? PreviewLimits.standardDevices
        guard (1...PreviewLimits.maximumDevices).contains(limit) else {
            throw APIError(
                .unprocessableContent, ErrorCode.outOfRange,
                "A preview is for 1 to \(PreviewLimits.maximumDevices) devices.", target: "limit"
            )
        }
        return limit
    }

    private static func dryRun(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<DryRunResponse> {
        let id = try call.campaign()
        let run = try await call.costlyRead { try await call.services.campaigns.previews.dryRun(id, app: app) }
        return Done(DryRunResponse(run), to: id.description)
    }

    private static func test(
        _ call: AdminCall<TestSendRequest>, app: AppService.App
    ) async throws -> Done<TestSendResponse> {
        let id = try call.campaign()
        let results = try await call.testSend { body in
            try check(body.deviceIds, maximum: PreviewLimits.maximumTestDevices)
            return try await naming(body.deviceIds) {
                try await call.services.access.announcing(
                    testing, by: call.context.principal, app: app.code, target: id.description
                ) {
                    try await call.services.campaigns.tests.test(id, devices: body.deviceIds, app: app)
                }
            }
        }
        return Done(TestSendResponse(results: results.map(TestSendResponse.Result.init)), to: id.description)
    }

    /// Runs `action`. If it finds no such device, the error names the device's place in the list.
    private static func naming<Result>(
        _ devices: [String], _ action: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await action()
        } catch ServiceError.notFound("device", let id, let code) {
            // For a long id, the error has only its beginning.
            let place =
                devices.firstIndex { $0.utf8.elementsEqual(id.utf8) }
                ?? devices.firstIndex { $0.utf8.starts(with: id.utf8) }
            throw APIError(
                .notFound, code, "There is no device '\(id)'.", target: place.map { "deviceIds[\($0)]" } ?? "deviceIds"
            )
        }
    }

    private static func check(_ devices: [String], maximum: Int) throws(APIError) {
        guard !(1...maximum).contains(devices.count) else { return }
        throw APIError(
            .unprocessableContent, ErrorCode.outOfRange, "Name 1 to \(maximum) devices.", target: "deviceIds"
        )
    }
}

extension CampaignPreviewResponse.Entry {
    init(_ preview: CampaignPreview) {
        self.init(
            deviceId: preview.device, locale: preview.locale, variant: preview.variant, content: preview.content,
            message: preview.message, inApp: preview.inApp, html: preview.page, problem: preview.problem
        )
    }
}

extension DryRunResponse {
    fileprivate init(_ run: DryRun) {
        self.init(
            audience: run.audience, wouldSend: run.wouldSend, later: run.later,
            suppressed: Dictionary(uniqueKeysWithValues: run.suppressed.map { ($0.key.rawValue, $0.value) }),
            samples: run.samples.map {
                Sample(
                    deviceId: $0.device, outcome: $0.outcome.rawValue, reason: $0.reason,
                    at: $0.at.map(Timestamp.text)
                )
            },
            warnings: run.warnings.isEmpty ? nil : run.warnings
        )
    }
}

extension TestSendResponse.Result {
    fileprivate init(_ result: TestSendResult) {
        self.init(
            deviceId: result.device, state: result.state, reason: result.reason?.rawValue, sentence: result.sentence
        )
    }
}
