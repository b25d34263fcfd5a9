import BelfryStore

/// The services for campaigns, with one database.
package struct CampaignServices: Sendable {
    package let drafts: CampaignDrafts
    package let life: CampaignLife
    package let queries: CampaignQueries
    package let audiences: AudienceQueries
    package let draftPreviews: DraftPreviewer
    package let previews: CampaignPreviewer
    package let tests: CampaignTester

    /// - Parameters:
    ///   - tests: sends test pushes.
    ///   - work: signals work to planner and dispatcher.
    ///   - inAppWork: signals work to the worker that plans and ends in-app campaigns.
    package init(
        database: any SQLDatabase, environment: ServerEnvironment, tests: TestDelivery, work: AsyncSignal,
        inAppWork: AsyncSignal = AsyncSignal()
    ) {
        drafts = CampaignDrafts(database: database, environment: environment, inAppWork: inAppWork)
        life = CampaignLife(database: database, environment: environment, work: work, inAppWork: inAppWork)
        queries = CampaignQueries(database: database, environment: environment)
        audiences = AudienceQueries(database: database, environment: environment)
        draftPreviews = DraftPreviewer(database: database)
        previews = CampaignPreviewer(database: database, environment: environment, tests: tests)
        self.tests = CampaignTester(previews: previews, life: life)
    }
}
