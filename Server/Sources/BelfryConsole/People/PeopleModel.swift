import BelfryModel
import BelfryServices
import Foundation

/// The search for people and its results.
struct PeopleModel: Sendable {
    struct Choice: Sendable {
        let choice: String
        let choiceName: String
        let isChosen: Bool
    }

    /// The results of one way of searching.
    struct Finding: Sendable {
        let findingSentence: String
        let people: [PersonLine]
        let hasPeople: Bool
        let installations: [InstallationLine]
        let hasInstallations: Bool
        /// A warning where several installations have the same id.
        let caution: String?
        let isEmptyFinding: Bool
        let nextAddress: String?
    }

    struct PersonLine: Sendable {
        let personName: String
        let personAddress: String
        let kindChip: StatusChip
        let formerKey: String?
        let seenWords: String
        let whyAddress: String
    }

    /// A suggestion to search for the text as the value of an attribute.
    struct OtherSearch: Sendable {
        let otherAddress: String
        let otherName: String
        let otherValue: String
    }

    /// The number of suggested searches when nobody was found.
    static let maximumOtherSearches = 5

    struct InstallationLine: Sendable {
        let deviceID: String
        /// The contact of the device; nil: the contact is not known.
        let ownerName: String?
        let ownerAddress: String?
        let ownerWhyAddress: String?
        let systemWords: String
        let sinceWords: String
    }

    let searchAddress: String
    let wanted: String
    let ways: [Choice]
    let wantedName: String
    let knownNames: [String]
    let textProblem: String?
    let nameProblem: String?
    let campaignID: String?
    let campaignName: String?
    let isNew: Bool
    let isNothing: Bool
    let otherSearches: [OtherSearch]
    let hasOtherSearches: Bool
    let findings: [Finding]
    /// The question about a campaign, shown where exactly one person was found.
    let whyForm: WhyForm?

    init(
        _ findings: [PeopleFinding], _ search: PeopleSearch, isSearch: Bool, cursor: String?,
        campaign: CampaignQueries.Summary?, attributes: [String: AttributeType], newest: [CampaignQueries.Summary],
        base: String, zone: AppZone, problem: (field: String, sentence: String)?
    ) {
        let about = campaign.map { "?campaign=\($0.id)" } ?? ""
        searchAddress = "\(base)/people"
        wanted = search.text
        ways =
            [Choice(choice: "", choiceName: "Anything", isChosen: search.kind == nil)]
            + PeopleSearchKind.allCases.map {
                Choice(choice: $0.rawValue, choiceName: $0.words, isChosen: search.kind == $0)
            }
        wantedName = search.name
        knownNames = attributes.keys.sorted()
        textProblem = problem.flatMap { $0.field == "name" ? nil : $0.sentence }
        nameProblem = problem.flatMap { $0.field == "name" ? $0.sentence : nil }
        campaignID = campaign.map { "\($0.id)" }
        campaignName = campaign?.name
        isNew = !isSearch && findings.isEmpty && cursor == nil
        let isNothing = isSearch && problem == nil && findings.allSatisfy(\.isEmpty)
        self.isNothing = isNothing
        otherSearches =
            isNothing && search.kind == nil
            ? Self.others(search.text, attributes: attributes, campaign: campaign, base: base) : []
        hasOtherSearches = !otherSearches.isEmpty
        self.findings = findings.filter { !$0.isEmpty || $0.cursor != nil }.map { finding in
            Finding(
                finding, next: Self.next(finding, search, isSearch: isSearch, campaign: campaign, base: base),
                about: about, base: base, zone: zone
            )
        }
        let people = Set(findings.flatMap { $0.people.map(\.contact.id) + $0.devices.compactMap(\.device.contact) })
        whyForm =
            isSearch && people.count == 1
            ? people.first.map { WhyForm("\(base)/people/\($0)/why", campaigns: newest, chosen: campaign?.id) } : nil
    }

    private static func next(
        _ finding: PeopleFinding, _ search: PeopleSearch, isSearch: Bool, campaign: CampaignQueries.Summary?,
        base: String
    ) -> String? {
        guard let cursor = finding.cursor else { return nil }
        var parts = ["cursor": cursor]
        if isSearch {
            parts["q"] = search.text
            parts["by"] = finding.kind.rawValue
            if !search.name.isEmpty { parts["name"] = search.name }
        }
        return address(parts, campaign: campaign, base: base)
    }

    /// Suggestions for the attributes that can have the text as a value, sorted by name.
    private static func others(
        _ text: String, attributes: [String: AttributeType], campaign: CampaignQueries.Summary?, base: String
    ) -> [OtherSearch] {
        let names = attributes.filter { $0.value.mayBeWritten(text) }.keys.sorted()
        return names.prefix(maximumOtherSearches).map { name in
            let parts = ["q": text, "by": PeopleSearchKind.attribute.rawValue, "name": name]
            return OtherSearch(
                otherAddress: address(parts, campaign: campaign, base: base), otherName: name, otherValue: text
            )
        }
    }

    private static func address(
        _ parts: [String: String], campaign: CampaignQueries.Summary?, base: String
    ) -> String {
        var parts = parts
        if let campaign { parts["campaign"] = "\(campaign.id)" }
        let query = parts.sorted { $0.key < $1.key }.map { "\($0.key)=\(WireURL.encoded($0.value))" }
        return "\(base)/people?\(query.joined(separator: "&"))"
    }
}

extension PeopleModel.Finding {
    init(_ finding: PeopleFinding, next: String?, about: String, base: String, zone: AppZone) {
        findingSentence = finding.sentence
        people = finding.people.map { PeopleModel.PersonLine($0, about: about, base: base, zone: zone) }
        hasPeople = !people.isEmpty
        installations = finding.devices.map {
            PeopleModel.InstallationLine($0, about: about, base: base, zone: zone)
        }
        hasInstallations = !installations.isEmpty
        caution =
            finding.kind == .device && installations.count > 1
            ? "Several installations have this id. An id is a name and no proof: a stranger's phone may use it, too. Choose the one whose person you mean."
            : nil
        isEmptyFinding = finding.isEmpty
        nextAddress = next
    }
}

extension PeopleModel.PersonLine {
    init(_ person: PeopleFinding.Person, about: String, base: String, zone: AppZone) {
        let contact = person.contact
        personName = contact.key
        personAddress = PersonAddress.of(contact: contact.id, base: base)
        kindChip = StatusChip(isKnown: contact.known)
        formerKey = person.formerKey
        seenWords = contact.lastOpenedAt.map { "App last opened \(zone.text($0))" } ?? "App never opened"
        whyAddress = "\(personAddress)/why\(about)"
    }
}

extension PeopleModel.InstallationLine {
    init(_ listed: ListedDevice, about: String, base: String, zone: AppZone) {
        let device = listed.device
        deviceID = device.client.rawValue
        ownerName = listed.contactKey
        ownerAddress = device.contact.map { PersonAddress.of(contact: $0, base: base) }
        ownerWhyAddress = ownerAddress.map { "\($0)/why\(about)" }
        systemWords = DeviceWords.system(device.system)
        sinceWords = "Since \(zone.text(device.createdAt))"
    }
}

extension StatusChip {
    init(isKnown: Bool) {
        self.init(word: isKnown ? "Known" : "Anonymous", tone: isKnown ? "good" : "quiet")
    }
}

extension AttributeType {
    /// Whether the typed text can be a value of this type.
    fileprivate func mayBeWritten(_ text: String) -> Bool {
        switch self {
        case .string, .date: true
        case .number: AttributeValue.string(text).numberRead != nil
        case .boolean: ["true", "yes", "false", "no"].contains(text)
        }
    }
}

extension PeopleSearchKind {
    /// The label of this way of searching.
    var words: String {
        switch self {
        case .key: "Contact key, or its beginning"
        case .field: "Contact field"
        case .attribute: "Attribute"
        case .party: "Party identifier's number"
        case .device: "Device id"
        case .token: "Push token"
        }
    }
}
