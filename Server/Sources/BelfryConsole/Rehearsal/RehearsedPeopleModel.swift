import BelfryModel
import BelfryServerModel
import BelfryServices

/// The devices behind a number of a rehearsal, page by page.
struct RehearsedPeopleModel: Sendable {
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
    let isFirstPage: Bool
    let firstAddress: String
    let nextAddress: String?

    /// - Parameters:
    ///   - found: one more than is shown, where there is a next page.
    ///   - app: the address of the app.
    init(
        _ found: [RehearsedPerson], _ outcome: RehearsedOutcome?, _ rehearsal: Rehearsal, campaignName: String,
        isFirstPage: Bool, zone: AppZone, app: String
    ) {
        let base = "\(app)/campaigns"
        let shown = found.prefix(RehearsalPages.pageSize)
        self.campaignName = campaignName
        listAddress = base
        campaignAddress = "\(base)/\(rehearsal.campaign)"
        rehearsalAddress = "\(base)/\(rehearsal.campaign)/rehearsals/\(rehearsal.id)"
        let all = "\(base)/\(rehearsal.campaign)/rehearsals/\(rehearsal.id)/people"
        let query = outcome.map(RehearsalWords.query) ?? ""
        groupSentence = outcome.map { RehearsalWords.sentence($0, .push) } ?? "All devices of the audience."
        people = shown.map { person in
            Line(
                deviceName: person.device,
                deviceAddress: PersonAddress.of(device: person.device, contact: person.contact, base: app),
                deviceChip: RehearsalWords.chip(person.outcome), deviceReason: person.outcome.reason?.rawValue ?? "",
                deviceTime: zone.text(person.at)
            )
        }
        isNobody = people.isEmpty && isFirstPage
        self.isFirstPage = isFirstPage
        firstAddress = all + query
        let next = found.count > shown.count ? shown.last?.number : nil
        nextAddress = next.map { "\(all)\(query.isEmpty ? "?" : "\(query)&")after=\($0)" }
    }
}
