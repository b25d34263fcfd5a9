import BelfryStore

/// The use cases of campaigns, over one database.
package struct CampaignServices: Sendable {
    package let drafts: CampaignDrafts
    package let life: CampaignLife
    package let queries: CampaignQueries
    package let audiences: AudienceQueries
    package let draftPreviews: DraftPreviewer
    package let previews: CampaignPreviewer
    package let tests: CampaignTester

    /// - Parameters:
    ///   - tests: sends tests of pushes.
    ///   - work: tells planner and dispatcher that there is work.
    ///   - inAppWork: tells whoever plans and closes in-app campaigns the same.
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
