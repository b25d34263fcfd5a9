import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The search for people: reads the query and makes the results page.
struct PeopleDesk: Sendable {
    static let pageSize = 25

    let app: AppService.App
    private(set) var search: PeopleSearch
    let cursor: String?
    /// The campaign about which to ask, if the search began on that campaign's page.
    let campaign: CampaignQueries.Summary?
    private let attributes: [String: AttributeType]
    private let newest: [CampaignQueries.Summary]
    private let call: ConsoleCall

    init(_ call: ConsoleCall) async throws {
        app = try call.inApp()
        self.call = call
        search = PeopleSearch(
            call.query["q"], by: PeopleSearchKind(rawValue: call.query["by"]), name: call.query["name"]
        )
        cursor = call.query.optional("cursor")
        attributes = try await call.services.apps.attributes(of: app)
        newest = try await WhyForm.campaigns(call)
        if let id = CampaignID(call.query["campaign"]) {
            campaign = CampaignQueries.Summary(try await call.services.campaigns.queries.campaign(id, app: app))
        } else {
            campaign = nil
        }
    }

    /// Whether a search was made; without one, the newest people are shown.
    private var isSearch: Bool { !search.text.isEmpty || search.kind != nil }

    /// Searches for the text as typed. A pasted text often has blanks around it: if nothing is found, the search is
    /// repeated without them.
    mutating func findings() async throws -> [PeopleFinding] {
        let found = try await foundAsTyped()
        let trimmed = search.text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard cursor == nil, found.allSatisfy(\.isEmpty), !trimmed.isEmpty, trimmed != search.text else { return found }
        search.text = trimmed
        return try await foundAsTyped()
    }

    private func foundAsTyped() async throws -> [PeopleFinding] {
        guard isSearch else {
            let page = try await call.services.directory.contacts(
                app: app, orphaned: false, before: cursor.flatMap { WholeNumber.read($0) }, limit: Self.pageSize
            )
            return page.contacts.isEmpty ? [] : [PeopleFinding(newest: page)]
        }
        let services = call.services
        guard search.kind == .attribute else {
            return try await services.directory.people(search, app: app, cursor: cursor, limit: Self.pageSize)
        }
        // The cost of a search by attribute depends on the data.
        let (app, search, cursor) = (app, search, cursor)
        return try await services.previews.pass(try call.principal()) {
            try await services.directory.people(search, app: app, cursor: cursor, limit: Self.pageSize)
        }
    }

    func page(_ findings: [PeopleFinding] = [], problem: (field: String, sentence: String)? = nil) -> Page {
        let model = PeopleModel(
            findings, search, isSearch: isSearch, cursor: cursor, campaign: campaign, attributes: attributes,
            newest: newest, base: call.link(""), zone: AppZone(app.settings), problem: problem
        )
        return Page("People", template: "people", section: .people, model: model)
    }
}
