import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// What is tried before a launch: a preview, a dry run, a test message (CAMP-4, CAMP-7).
extension CampaignController {
    static let standardPreviews = 5
    static let maximumPreviews = 20
    static let maximumTestDevices = 20

    func addTrials(to campaigns: RouterGroup<AdminRequestContext>) {
        campaigns.post(":id/preview", use: preview)
        campaigns.post(":id/dry-run", use: dryRun)
        campaigns.post(":id/test", use: test)
    }

    private func preview(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let id = try Self.id(context)
        let body = try await request.json(CampaignPreviewRequest.self)
        if let devices = body.deviceIds { try Self.check(devices, maximum: Self.maximumPreviews) }
        let limit = body.limit ?? Self.standardPreviews
        guard (1...Self.maximumPreviews).contains(limit) else {
            throw APIError(
                .unprocessableContent, ErrorCode.outOfRange, "A preview shows 1 to \(Self.maximumPreviews) devices.",
                target: "limit"
            )
        }
        let previews = try await services.campaigns.preview(id, devices: body.deviceIds, limit: limit, app: app)
        try await services.audit(context, "campaign.preview", app: app, target: id.description)
        return try Response.json(CampaignPreviewAnswer(previews: previews.map(CampaignPreviewAnswer.Entry.init)))
    }

    /// A body says nothing.
    private func dryRun(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let id = try Self.id(context)
        let run = try await services.campaigns.dryRun(id, app: app)
        try await services.audit(context, "campaign.dryRun", app: app, target: id.description)
        return try Response.json(DryRunAnswer(run))
    }

    private func test(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .campaign)
        let id = try Self.id(context)
        let body = try await request.json(TestSendRequest.self)
        try Self.check(body.deviceIds, maximum: Self.maximumTestDevices)
        let results = try await services.campaigns.test(id, devices: body.deviceIds, app: app)
        try await services.audit(context, "campaign.test", app: app, target: id.description)
        return try Response.json(TestSendAnswer(results: results.map(TestSendAnswer.Result.init)))
    }

    private static func check(_ devices: [String], maximum: Int) throws(APIError) {
        guard !(1...maximum).contains(devices.count) else { return }
        throw APIError(
            .unprocessableContent, ErrorCode.outOfRange, "It names 1 to \(maximum) devices.", target: "deviceIds"
        )
    }
}

extension CampaignPreviewAnswer.Entry {
    fileprivate init(_ preview: CampaignPreview) {
        self.init(
            deviceId: preview.device, locale: preview.locale, variant: preview.variant, content: preview.content,
            message: preview.message, inApp: preview.inApp, html: preview.page, problem: preview.problem
        )
    }
}

extension DryRunAnswer {
    fileprivate init(_ run: DryRun) {
        self.init(
            audience: run.audience, wouldSend: run.wouldSend, later: run.later,
            suppressed: Dictionary(uniqueKeysWithValues: run.suppressed.map { ($0.key.rawValue, $0.value) }),
            samples: run.samples.map {
                Sample(
                    deviceId: $0.device, outcome: $0.outcome.rawValue, reason: $0.reason,
                    at: $0.at.map(Timestamp.text)
                )
            }
        )
    }
}

extension TestSendAnswer.Result {
    fileprivate init(_ result: TestSendResult) {
        self.init(
            deviceId: result.device, state: result.state, reason: result.reason?.rawValue, sentence: result.sentence
        )
    }
}
