import BelfryServerTestSupport
import BelfryStore
import Testing

/// FLEET-5: on a distributed database a directory says whose the key of a contact is. The stand-in shows it: the table of
/// contacts has no key there that would.
struct ContactKeyDirectoryTests {
    /// The outcome of a body on a distributed database, and how many keys lead wrong, or not at all, when it has ended.
    private static func outcome<Output: Sendable>(
        of body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> (output: Output, wrong: Int64?) {
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        try await store.write { try CitusStandIn.install($0) }
        _ = try CitusStandIn.setUp(store, copyingRows: true)
        let entered = try store.another()
        defer { try? entered.close() }
        let output = try await entered.database.write(body)
        let wrong = try await entered.database.read { connection in
            try connection.first(
                """
                SELECT count(*) FROM contacts c FULL JOIN contact_keys k
                    ON k.contact_id = c.id AND k.app_id = c.app_id AND k.contact_key = c.contact_key
                WHERE c.id IS NULL OR k.contact_id IS NULL
                """,
                []
            ) { $0.integer(0) }
        }
        return (output, wrong)
    }

    private static func contact(_ key: String, app: Int64 = 1) -> NewContact {
        NewContact(app: app, key: key, isKnown: true, now: storeEpoch)
    }

    @Test("FLEET-5, ID-1: a key is given once in an app, also to those who ask for it together")
    func once() async throws {
        let found = try await Self.outcome { connection in
            let first = try connection.contacts.insert(["a", "b", "a"].map { Self.contact($0) })
            let again = try connection.contacts.insert([Self.contact("b"), Self.contact("b", app: 2)])
            let same = try connection.contacts.findOrInsert(app: 1, key: "a", known: true, now: storeEpoch)
            let rows = try connection.first("SELECT count(*) FROM contacts", []) { $0.integer(0) }
            return (first: first, again: again, same: same, rows: rows)
        }
        let (first, again) = (found.output.first, found.output.again)
        #expect(first[0] == first[2] && first[0] != first[1])
        #expect(again[0] == first[1] && !first.contains(again[1]))
        #expect(found.output.same == first[0])
        #expect(found.output.rows == 3 && found.wrong == 0)
    }

    @Test("FLEET-5, SEC-7: keys that Swift takes for equal are two keys")
    func spellings() async throws {
        let found = try await Self.outcome { connection in
            try connection.contacts.insert(["\u{e9}", "e\u{301}"].map { Self.contact($0) })
        }
        #expect(Set(found.output).count == 2 && found.wrong == 0)
    }

    @Test(
        "FLEET-5, ADM-5: a contact that gets another key is found by both, and by both if it gets the former one back")
    func renamed() async throws {
        let found = try await Self.outcome { connection in
            let contacts = connection.contacts
            let id = try contacts.findOrInsert(app: 1, key: "anna", known: true, now: storeEpoch)
            let contact = try #require(try contacts.find(id: id))
            func find() throws -> [Int64?] {
                try ["anna", "anne"].flatMap { key -> [Int64?] in
                    [
                        try contacts.number(app: 1, key: key), try contacts.find(app: 1, key: key)?.id,
                        try contacts.holder(of: key, app: 1)?.contact.id,
                    ]
                }
            }
            let renamed = try contacts.rename(contact, to: "anne", now: storeEpoch)
            let first = try find()
            let isAlias = try contacts.holder(of: "anna", app: 1)?.isAlias
            _ = try contacts.rename(renamed, to: "anna", now: storeEpoch)
            let second = try find()
            let isAliasNow = try contacts.holder(of: "anna", app: 1)?.isAlias
            return (id: id, found: first + second, isAlias: isAlias, isAliasNow: isAliasNow)
        }
        let output = found.output
        let everywhere: [Int64?] = Array(repeating: output.id, count: 12)
        #expect(output.found == everywhere)
        #expect(output.isAlias == true && output.isAliasNow == false)
        #expect(found.wrong == 0)
    }

    @Test("FLEET-5, REG-36: the keys of a person who is erased lead nowhere, and may be given anew")
    func erased() async throws {
        let found = try await Self.outcome { connection in
            let contacts = connection.contacts
            let former = try contacts.insert([Self.contact("anna"), Self.contact("bert")])
            let contact = try #require(try contacts.find(id: former[0]))
            _ = try contacts.rename(contact, to: "anne", now: storeEpoch)
            try contacts.delete(former[0], app: 1)
            let gone = try ["anna", "anne", "bert"].map { try contacts.number(app: 1, key: $0) }
            let anew = try contacts.insert([Self.contact("anna")])
            return (former: former, gone: gone, anew: anew)
        }
        let output = found.output
        let gone: [Int64?] = [nil, nil, output.former[1]]
        #expect(output.gone == gone)
        #expect(!output.former.contains(output.anew[0]) && found.wrong == 0)
    }
}
