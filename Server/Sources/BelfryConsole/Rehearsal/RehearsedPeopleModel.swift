import BelfryModel
import BelfryServerModel
import BelfryServices

/// The devices behind a figure of a rehearsal, page by page.
struct RehearsedPeopleModel: Sendable {
    static let pageSize = 50

    struct Line: Sendable {
        let deviceName: String
        let deviceAddress: String
        let deviceChip: StatusChip
        let deviceReason: String
        let deviceTime: String
    }

    let campaignName: String
    let campaignAddress: String
    let rehearsalAddress: String
    let listAddress: String
    let groupSentence: String
    let people: [Line]
    let isNobody: Bool
    /// Whether this page searched a part of the rehearsal without finding a device, and there is more to search.
    let isLookingOn: Bool
    let isFirstPage: Bool
    let firstAddress: String
    let nextAddress: String?

    /// - Parameter app: the address of the app.
    init(
        _ found: RehearsedPeople, _ selection: RehearsedSelection, _ rehearsal: Rehearsal, of draft: CampaignDraft,
        isFirstPage: Bool, zone: AppZone, app: String
    ) {
        let base = "\(app)/campaigns"
        campaignName = draft.name
        listAddress = base
        campaignAddress = "\(base)/\(rehearsal.campaign)"
        rehearsalAddress = "\(base)/\(rehearsal.campaign)/rehearsals/\(rehearsal.id)"
        let query = selection.query
        let all = "\(rehearsalAddress)/people"
        groupSentence = selection.sentence(draft.kind, zone: zone)
        people = found.people.map { person in
            Line(
                deviceName: person.device,
                deviceAddress: PersonAddress.of(device: person.device, contact: person.contact, base: app),
                deviceChip: RehearsalWords.chip(person.outcome), deviceReason: person.outcome.reason?.rawValue ?? "",
                deviceTime: zone.text(person.at)
            )
        }
        isNobody = people.isEmpty && found.next == nil && isFirstPage
        isLookingOn = people.isEmpty && found.next != nil
        self.isFirstPage = isFirstPage
        firstAddress = all + query
        nextAddress = found.next.map { "\(all)\(query.isEmpty ? "?" : "\(query)&")after=\($0)" }
    }
}
