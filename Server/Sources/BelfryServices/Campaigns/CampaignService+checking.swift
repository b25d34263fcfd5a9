import BelfryCampaigns
import BelfryServerModel
import BelfryStore

extension CampaignService {
    /// How often a campaign is checked again after a change.
    private static let checks = 5

    /// Checks a draft before the transaction that writes it, and again if it has changed meanwhile.
    ///
    /// - Parameters:
    ///   - read: the draft to check; nil if there is nothing to check.
    ///   - write: uses the result by ``CampaignCheckResult/checked(_:by:app:in:)``.
    func checking<Output: Sendable>(
        app: AppRecord, _ read: @escaping @Sendable (any SQLConnection) throws -> CampaignDraft?,
        write: (CampaignCheckResult?) async throws -> Output
    ) async throws -> Output {
        for _ in 1...Self.checks {
            let input = try await database.read { connection in
                try read(connection).map { try CampaignCheckInput(at: $0, app: app.id, in: connection) }
            }
            var result: CampaignCheckResult?
            if let input { result = await CampaignCheckResult(input, texts: TextCompiler(schema: input.basis.schema)) }
            do {
                return try await write(result)
            } catch is CampaignCheckResult.Outdated {
                continue
            }
        }
        throw ServiceError.conflict(
            message: """
                The campaign, or what it refers to, was changed each time while it was checked: \
                leave the app's attributes, message centers and settings alone for a moment, and try again.
                """
        )
    }
}
