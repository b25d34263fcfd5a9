import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Removes a person's names from audiences, in which an operator may have written a key, a device or the number of a
/// party identifier (ADM-4).
extension ContactService {
    /// How many campaigns are read at a time.
    private static let campaignsAtOnce = 50
    /// How many former keys are searched at a time.
    static let keysAtOnce = 10_000

    /// The names by which audiences may mention a person, page by page. The first page has the present key and the
    /// devices that the first step of the erasure erases. The former keys may be any number (SEC-2).
    ///
    /// - Parameter number: the number of the contact, or of a contact that was merged into it.
    func forEachPageOfNames(of number: Int64, _ body: (PersonNames) async throws -> Void) async throws {
        let devices = try await deviceNames(of: number).devices
        var position: Int64? = 0
        while let start = position {
            let page = try await database.read { connection -> (names: PersonNames, next: Int64?) in
                guard let contact = try connection.contacts.surviving(number),
                    let row = try connection.contacts.find(id: contact)
                else { return (PersonNames(), nil) }
                let former = try connection.formerKeys.all(of: contact, after: start, limit: Self.keysAtOnce)
                var names = PersonNames(keys: Set(former.map(\.key)))
                var numbers = former.compactMap(\.partyNumber)
                if start == 0 {
                    names.keys.insert(row.key)
                    names.devices = devices
                    if let party = row.party { numbers.append(party.number) }
                }
                names.partyNumbers = try connection.contacts.numbers(numbers, ofNobodyBut: row)
                return (names, former.count == Self.keysAtOnce ? former.last?.number : nil)
            }
            try await body(page.names)
            position = page.next
        }
    }

    /// The names of the devices that the next step erases.
    func deviceNames(of number: Int64) async throws -> PersonNames {
        try await database.read { connection -> PersonNames in
            guard let contact = try connection.contacts.surviving(number) else { return PersonNames() }
            let devices = try connection.devices.outlines(ofContact: contact, limit: ContactErasure.devicesAtOnce)
            return PersonNames(devices: Set(devices.map(\.client.canonical)))
        }
    }

    /// Removes a person's names from the audiences of the app's campaigns. The audiences' devices do not change,
    /// because the person's are erased.
    func forgetInAudiences(_ names: PersonNames, app: AppRecord) async throws {
        guard !names.isEmpty else { return }
        let now = environment.now()
        var position: Int64 = 0
        while true {
            let start = position
            let page = try await database.read {
                try $0.campaigns.namingPeople(app: app.id, after: start, limit: Self.campaignsAtOnce)
            }
            for id in page {
                let isNamed = try await database.read { connection in
                    try connection.campaigns.named(names, in: id) != nil
                        || connection.campaignVersions.areNaming(names, of: id)
                }
                guard isNamed else { continue }
                try await database.write { connection in
                    if let row = try connection.campaigns.named(names, in: id) {
                        try connection.campaigns.replaceAudience(row.campaign.draft, of: row.id)
                        // Other processes keep active campaigns in memory, with the names in their audiences.
                        if row.isOfInApp, row.campaign.status == .active {
                            try connection.inAppRevisions.advance(app: row.app, now: now)
                        }
                    }
                    // In one transaction, so that a campaign's content always equals its newest version.
                    try connection.campaignVersions.rewrite(of: id) { $0.without(names) }
                }
            }
            guard page.count == Self.campaignsAtOnce, let last = page.last else { return }
            position = last.number
        }
    }
}

/// The names by which an audience may mention a person.
struct PersonNames: Sendable {
    /// Keys, as they are stored.
    var keys: Set<String> = []
    /// Canonical device ids.
    var devices: Set<String> = []
    /// The numbers of the present and former party identifiers that belong to no other contact.
    var partyNumbers: [String] = []

    var isEmpty: Bool { keys.isEmpty && devices.isEmpty && partyNumbers.isEmpty }
}

extension ContactRepository {
    /// The numbers among these that describe this contact and no other.
    fileprivate func numbers(_ numbers: [String], ofNobodyBut contact: ContactRow) throws -> [String] {
        try numbers.filter { number in
            let page = try list(app: contact.app, party: PartySearch(number: number), before: nil, limit: 2)
            return page.contacts.map(\.id) == [contact.id]
        }
    }
}

extension CampaignRepository {
    /// The campaign without the person's names in its audience; nil if the audience has none, or if the row cannot be
    /// read.
    fileprivate func named(_ names: PersonNames, in id: CampaignID) throws -> CampaignRow? {
        do {
            guard var row = try find(id) else { return nil }
            let audience = row.campaign.draft.audience.without(names)
            guard audience != row.campaign.draft.audience else { return nil }
            row.campaign.draft.audience = audience
            return row
        } catch let error where error.meansUnreadable {
            return nil
        }
    }
}

extension CampaignVersionRepository {
    /// Whether a version of a campaign mentions the person.
    fileprivate func areNaming(_ names: PersonNames, of id: CampaignID) throws -> Bool {
        try !peopleNaming(of: id) { number, draft in draft.without(names) == nil ? nil : number }.isEmpty
    }
}

extension CampaignDraft {
    /// The draft without the person's names in its audience; nil if the audience has none.
    fileprivate func without(_ names: PersonNames) -> CampaignDraft? {
        var draft = self
        draft.audience = audience.without(names)
        return draft == self ? nil : draft
    }
}

extension Condition {
    /// The condition without a person's names.
    func without(_ names: PersonNames) -> Condition {
        switch self {
        case .all(let parts): .all(parts.map { $0.without(names) })
        case .any(let parts): .any(parts.map { $0.without(names) })
        case .not(let part): .not(part.without(names))
        case .contactKeys(let keys):
            .contactKeys(keys.filter { !names.keys.contains(NamingRule.composed($0)) })
        case .deviceIDs(let ids): .deviceIDs(ids.filter { !names.devices.contains($0.lowercased()) })
        case .party(.number, let comparison): .party(.number, comparison.without(names.partyNumbers))
        case .everyone, .attribute, .device, .deviceFact, .tag, .known, .event, .party: self
        }
    }
}

extension Comparison {
    /// The comparison without the values that are in these texts.
    fileprivate func without(_ texts: [String]) -> Comparison {
        func isIt(_ value: AttributeValue) -> Bool {
            guard case .string(let other) = value else { return false }
            return texts.contains { $0.utf8.elementsEqual(other.utf8) }
        }
        return switch self {
        case .equal(let value) where isIt(value): .isIn([])
        // Everybody with another number still matches, but nobody without one.
        case .notEqual(let value) where isIt(value): .exists(true)
        case .isIn(let values): .isIn(values.filter { !isIt($0) })
        default: self
        }
    }
}
