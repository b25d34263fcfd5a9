import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct PartyPlanTests {
    @Test("ID-9: a party identifier finds its contact by an index, also a long one", arguments: Engine.allCases)
    func plan(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let long = String(repeating: "\u{1f514}", count: 255)
        let (found, plan) = try await store.write { connection in
            let app = try connection.makeApp("shop")
            for number in 0..<400 {
                let id = try connection.contacts.findOrInsert(
                    app: app, key: "c\(number)", known: number == 7, now: storeEpoch
                )
                guard var contact = try connection.contacts.find(id: id) else { continue }
                let same = number.isMultiple(of: 7) ? "same" : "\(number)"
                contact.party = PartyIdentifier(type: long, name: long, number: same)
                try connection.contacts.save(contact, now: storeEpoch)
            }
            let party = PartyIdentifier(type: long, name: long, number: "same")
            let found = try connection.contacts.find(app: app, party: party)
            if engine == .postgres { try connection.execute("SET LOCAL enable_seqscan = off") }
            let words = engine == .sqlite ? "EXPLAIN QUERY PLAN" : "EXPLAIN"
            let plan = try connection.query(
                "\(words) \(ContactRepository.findByPartySQL)", [.integer(app), .text("p"), .text("p")]
            ) { $0.text(engine == .sqlite ? 3 : 0) }
            return (found, plan.joined(separator: "\n"))
        }
        #expect(found?.key == "c7", "a known one before those that are older")
        #expect(plan.contains("contacts_by_party"), "\(plan)")
    }
}
