import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// An operator may have named a person in an audience, by a key, a device or the number of a party identifier: that is
/// taken out, too (ADM-4).
extension ContactService {
    /// Campaigns that are read at once.
    private static let campaignsAtOnce = 50
    /// Former keys that are looked for at once.
    static let keysAtOnce = 10_000

    /// By what somebody may have named a person, page by page: the present key, and the devices that the first step of
    /// the erasure erases, with the first of the former keys, of which there may be any number (SEC-2).
    ///
    /// - Parameter number: of the contact, or of one that went into it.
    func forEachPageOfNames(of number: Int64, _ body: (PersonNames) async throws -> Void) async throws {
        let devices = try await deviceNames(of: number).devices
        var position: Int64? = 0
        while let start = position {
            let page = try await database.read { connection -> (names: PersonNames, next: Int64?) in
                guard let contact = try connection.contacts.surviving(number),
                    let row = try connection.contacts.find(id: contact)
                else { return (PersonNames(), nil) }
                let former = try connection.contacts.formerKeys(of: contact, after: start, limit: Self.keysAtOnce)
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

    /// The devices alone that the next step erases.
    func deviceNames(of number: Int64) async throws -> PersonNames {
        try await database.read { connection -> PersonNames in
            guard let contact = try connection.contacts.surviving(number) else { return PersonNames() }
            let devices = try connection.devices.outlines(ofContact: contact, limit: ContactErasure.devicesAtOnce)
            return PersonNames(devices: Set(devices.map(\.client.canonical)))
        }
    }

    /// Takes a person's names out of the audiences of the app's campaigns. Whom they choose does not change: the person
    /// is gone.
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
                        // What processes keep of an active one has the names, too.
                        if row.isOfInApp, row.campaign.status == .active {
                            try connection.inAppRevisions.advance(app: row.app, now: now)
                        }
                    }
                    // In one transaction: a campaign goes on saying what its newest version says.
                    try connection.campaignVersions.rewrite(of: id) { $0.without(names) }
                }
            }
            guard page.count == Self.campaignsAtOnce, let last = page.last else { return }
            position = last.number
        }
    }
}

/// By what an audience may name a person.
struct PersonNames: Sendable {
    /// As they are stored.
    var keys: Set<String> = []
    /// Canonical ids.
    var devices: Set<String> = []
    /// Of the party identifier and of former ones, those that are nobody else's.
    var partyNumbers: [String] = []

    var isEmpty: Bool { keys.isEmpty && devices.isEmpty && partyNumbers.isEmpty }
}

extension ContactRepository {
    /// Those among some numbers of party identifiers that describe a contact and nobody beside.
    fileprivate func numbers(_ numbers: [String], ofNobodyBut contact: ContactRow) throws -> [String] {
        try numbers.filter { number in
            let page = try list(app: contact.app, party: PartySearch(number: number), before: nil, limit: 2)
            return page.contacts.map(\.id) == [contact.id]
        }
    }
}

extension CampaignRepository {
    /// The campaign without the person's names in its audience; nil when it has none, or cannot be read.
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
    /// Whether a version of a campaign names the person.
    fileprivate func areNaming(_ names: PersonNames, of id: CampaignID) throws -> Bool {
        try !peopleNaming(of: id) { number, draft in draft.without(names) == nil ? nil : number }.isEmpty
    }
}

extension CampaignDraft {
    /// The same without the person's names in its audience; nil when it has none.
    fileprivate func without(_ names: PersonNames) -> CampaignDraft? {
        var draft = self
        draft.audience = audience.without(names)
        return draft == self ? nil : draft
    }
}

extension Condition {
    /// The same without a person's names.
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
    /// The same for everybody but whoever these texts name.
    fileprivate func without(_ texts: [String]) -> Comparison {
        func isIt(_ value: AttributeValue) -> Bool {
            guard case .string(let other) = value else { return false }
            return texts.contains { $0.utf8.elementsEqual(other.utf8) }
        }
        return switch self {
        case .equal(let value) where isIt(value): .isIn([])
        // Who has another number; the others have none.
        case .notEqual(let value) where isIt(value): .exists(true)
        case .isIn(let values): .isIn(values.filter { !isIt($0) })
        default: self
        }
    }
}
