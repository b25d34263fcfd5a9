import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("Party identifiers that became former keys")
struct MergedPartyTests {
    private static let number = "+4917055555"
    private static let linked = PartyIdentifier(type: "phone", name: "home", number: number)
    private static let own = PartyIdentifier(type: "phone", name: "home", number: "+4917011111")
    private static let key = "party:phone:home:+4917055555"

    /// A device that is linked by the number, and another one's contact `main`.
    ///
    /// - Parameter party: what describes `main`.
    private static func people(_ world: ServiceWorld, party: PartyIdentifier?) async throws {
        var device = try await ServiceDevice.started(world, 1)
        device.keep(try await world.links.identify(linked, caller: device.caller()))
        var main = try await ServiceDevice.registered(world, 2, key: "main")
        try await main.register {
            $0.contactKey = "main"
            $0.partyIdentifier = party
        }
        try await world.process()
    }

    private static func keys(_ world: ServiceWorld, _ search: PartySearch) async throws -> [String] {
        try await world.directory.contacts(app: world.app, orphaned: false, party: search, before: nil, limit: 9)
            .contacts.map(\.key)
    }

    /// Lists, searches and explanations find the contact by the number, once.
    private static func expectFound(
        _ world: ServiceWorld, _ id: CampaignID, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for search in [PartySearch(number: number), PartySearch(number: number, type: "phone", name: "home")] {
            #expect(try await keys(world, search) == ["main"], sourceLocation: sourceLocation)
            let explained = try await world.explainer.explain(id, person: .party(search), app: world.app)
            #expect(explained.contactKey == "main", sourceLocation: sourceLocation)
        }
        #expect(try await keys(world, PartySearch(number: number, name: "work")) == [], sourceLocation: sourceLocation)
        for kind: PeopleSearchKind? in [nil, .party] {
            let found = try await world.directory.people(
                PeopleSearch(number, by: kind, name: ""), app: world.app, limit: 9
            )
            #expect(found.flatMap(\.people).map(\.contact.key) == ["main"], sourceLocation: sourceLocation)
        }
    }

    @Test(
        "ADM-5, ID-9, LED-5: a merged contact's party identifier finds the contact that remains, whatever describes that",
        arguments: Engine.ofEachRun, [false, true])
    func merged(_ engine: Engine, isDescribed: Bool) async throws {
        let world = try await ServiceWorld(engine)
        let party = isDescribed ? Self.own : nil
        try await Self.people(world, party: party)
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        _ = try await world.contacts.merge(Self.key, into: "main", field: "into", app: world.app)
        try await Self.expectFound(world, id)
        let main = try await world.directory.contact("main", app: world.app).contact
        #expect(main.party == party ?? Self.linked, "its own identifier stays, and it gets one that it lacks")
        #expect(try await Self.keys(world, PartySearch(number: Self.own.number)) == (party == nil ? [] : ["main"]))
        // Whoever links by it is that person, too.
        var other = try await ServiceDevice.started(world, 3)
        other.keep(try await world.links.identify(Self.linked, caller: other.caller()))
        #expect(try await other.contactKey == "main")
    }

    @Test("ADM-5, ID-9: of a contact that was renamed and then merged the party identifier goes along")
    func renamed() async throws {
        let world = try await ServiceWorld()
        try await Self.people(world, party: Self.own)
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        _ = try await world.contacts.rename(Self.key, to: "ann", field: "to", app: world.app)
        #expect(try await Self.keys(world, PartySearch(number: Self.number)) == ["ann"])
        _ = try await world.contacts.merge("ann", into: "main", field: "into", app: world.app)
        try await Self.expectFound(world, id)
    }

    @Test("ADM-5: what only described a merged contact goes when the one that remains has another identifier")
    func described() async throws {
        let world = try await ServiceWorld()
        try await Self.people(world, party: Self.own)
        _ = try await world.contacts.merge("main", into: Self.key, field: "into", app: world.app)
        #expect(try await Self.keys(world, PartySearch(number: Self.number)) == [Self.key])
        #expect(try await Self.keys(world, PartySearch(number: Self.own.number)) == [])
    }

    @Test("ADM-4, ADM-5: an erasure takes the number of a former party identifier out of every table and audience")
    func erased() async throws {
        let world = try await ServiceWorld()
        try await Self.people(world, party: Self.own)
        _ = try await world.contacts.merge(Self.key, into: "main", field: "into", app: world.app)
        let audience = Condition.party(.number, .isIn([.string(Self.number), .string("+4917000000")]))
        let draft = try await world.campaigns.drafts.create(ServiceWorld.draft(audience: audience), app: world.app).id
        _ = try await world.contacts.erase(.party(PartySearch(number: Self.number)), app: world.app)
        #expect(
            try await world.campaign(draft).draft.audience == .party(.number, .isIn([.string("+4917000000")]))
        )
        let traces = try await world.database.read { try $0.traces(of: "4917055555", .ofThisRun) }
        #expect(traces == [])
    }

    @Test("LED-5, ADM-4, ID-8: the former key of an anonymous contact leads to the person whom it became")
    func anonymous() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let former = try #require(try await device.contactKey)
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        try await device.identify("ann")
        let export = try await world.contacts.export("ann", app: world.app)
        var aliases: [String] = []
        try await export.forEachPart { part in
            if case .aliases(let page) = part { aliases += page }
        }
        #expect(aliases == [former])
        #expect(try await world.explainer.explain(id, contact: former, app: world.app).contactKey == "ann")
        #expect(try await world.contacts.export(former, app: world.app).contact == export.contact)
    }
}
