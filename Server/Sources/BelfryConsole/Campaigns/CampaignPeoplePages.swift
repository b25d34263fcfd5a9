import BelfryModel
import BelfryServerModel
import BelfryServices

/// The people behind a campaign's figures (CON-7).
enum CampaignPeoplePages {
    static let pageSize = 50

    static let routes: [ConsoleRoute] = [.get("/apps/{app}/campaigns/{id}/people", .app(.view), list)]

    private static func list(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (id, app) = (try call.campaign(), try call.inApp())
        let group = PeopleGroup(call.query)
        let cursor: Int64? = WholeNumber.read(call.query["after"])
        let campaign = try await call.services.campaigns.queries.campaign(id, app: app)
        let page = try await call.services.recipients.list(
            id, group.filter, app: app, after: cursor, limit: pageSize
        )
        let model = CampaignPeopleModel(
            page, group, campaign: campaign, isFirstPage: cursor == nil, zone: AppZone(app.settings),
            base: call.link("")
        )
        return .page(
            Page(
                "People of \(campaign.draft.name.isolated)", template: "campaign-people", section: .campaigns,
                model: model))
    }
}

/// A page of a campaign's people.
struct CampaignPeopleModel: Sendable {
    struct Line: Sendable {
        let personTitle: String
        let personAddress: String?
        let deviceName: String
        let personChip: StatusChip
        let why: String?
        let changed: String
        let noticed: String
    }

    let campaignName: String
    let campaignAddress: String
    let listAddress: String
    let groupSentence: String
    let people: [Line]
    /// Whether the campaign has nobody in this group at all.
    let isNobody: Bool
    /// Whether this page searched a part of the ledger without finding anybody, and there is more to search.
    let isLookingOn: Bool
    let isFirstPage: Bool
    let firstAddress: String
    let nextAddress: String?
    let everybodyAddress: String?

    /// - Parameter base: the address of the app.
    init(
        _ page: RecipientPage, _ group: PeopleGroup, campaign: Campaign, isFirstPage: Bool, zone: AppZone, base: String
    ) {
        listAddress = "\(base)/campaigns"
        campaignName = campaign.draft.name
        campaignAddress = "\(base)/campaigns/\(campaign.id)"
        groupSentence = group.sentence
        people = page.recipients.map { Line($0, of: campaign.draft.kind, zone: zone, base: base) }
        isNobody = people.isEmpty && page.next == nil && isFirstPage
        isLookingOn = people.isEmpty && page.next != nil
        self.isFirstPage = isFirstPage
        firstAddress = group.address(below: campaignAddress)
        let query = group.query
        nextAddress = page.next.map { next in
            "\(base)/campaigns/\(campaign.id)/people?\(query.isEmpty ? "" : "\(query)&")after=\(next)"
        }
        everybodyAddress = query.isEmpty ? nil : "\(campaignAddress)/people"
    }
}

extension CampaignPeopleModel.Line {
    init(_ recipient: ListedRecipient, of kind: CampaignKind, zone: AppZone, base: String) {
        let delivery = recipient.delivery
        personTitle = recipient.contactKey ?? (recipient.contact == nil ? "Nobody is known" : "Anonymous")
        personAddress = recipient.contact.map { PersonAddress.of(contact: $0, base: base) }
        deviceName = recipient.device ?? "The device is gone."
        personChip = StatusChip(delivery.state, of: kind)
        why = [delivery.reason?.rawValue, delivery.note].compactMap(\.self).first
        changed = zone.text(delivery.updatedAt)
        noticed =
            delivery.engagements[.opened].map { "Opened \(zone.text($0))" }
            ?? delivery.engagements[.displayed].map { "Displayed \(zone.text($0))" }
            ?? delivery.engagements[.received].map { "Received \(zone.text($0))" } ?? "–"
    }
}
