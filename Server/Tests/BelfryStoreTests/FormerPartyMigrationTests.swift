import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Testing

struct FormerPartyMigrationTests {
    @Test(
        "STO-5, ID-9, ADM-5: former keys of an older database are found by the parts of their party identifiers",
        arguments: Engine.allCases)
    func formerKeys(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let app = try await store.write { connection in
            try connection.goBack(to: 24, engine)
            let app = try connection.makeApp()
            let main = try connection.contacts.findOrInsert(app: app, key: "main", known: true, now: storeEpoch)
            for key in ["party:phone:my%3Ahome%25:+2:3", "party:broken", "ann"] {
                let merged = try connection.contacts.findOrInsert(app: app, key: key, known: true, now: storeEpoch)
                try connection.execute(
                    "UPDATE contacts SET merged_into = ? WHERE id = ?", [.integer(main), .integer(merged)]
                )
            }
            return app
        }
        let search = PartySearch(number: "+2:3", type: "phone", name: "my:home%")
        let found = try await store.reopened {
            try $0.contacts.list(app: app, party: search, before: nil, limit: 9).contacts.map(\.key)
        }
        #expect(found == ["main"])
    }
}
