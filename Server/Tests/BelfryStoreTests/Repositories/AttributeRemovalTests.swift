import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Testing

struct AttributeRemovalTests {
    private static func define(_ names: String..., in connection: any SQLConnection) throws {
        for name in names {
            try connection.attributes.define(AttributeKey(name), type: .string, app: 1, now: storeEpoch)
        }
    }

    @Test("REG-25: a removed attribute gets its columns back; no other one gets them", arguments: Engine.allCases)
    func columns(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let age = try AttributeKey("age")
        let removals = try await store.write { connection in
            try Self.define("city", "age", in: connection)
            return try (1...2).map { _ in try connection.attributes.remove(age, app: 1, now: storeEpoch) }
        }
        #expect(removals == [true, false])
        #expect(try await store.read { try $0.attributes.schema(app: 1) } == ["city": .string])
        let former = try await store.read { try $0.attributes.formerNumber(of: age, app: 1) }
        #expect(former == 2)
        try await store.write { try Self.define("hat", in: $0) }
        #expect(try await store.read { try $0.attributes.nextNumber(app: 1) } == 4)
        try await store.write { try Self.define("age", in: $0) }
        #expect(try await store.read { try $0.attributes.nextNumber(app: 1) } == 4)
        #expect(try await store.read { try $0.attributes.formerNumber(of: age, app: 1) } == nil)
        let schema = try await store.read { try $0.attributes.schema(app: 1) }
        #expect(schema == ["city": .string, "hat": .string, "age": .string])
    }

    @Test("REG-25: a review moves on from where it stands, and begins anew when asked to", arguments: Engine.allCases)
    func reviews(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        #expect(try await store.read { try $0.attributeReviews.next() } == nil)
        try await store.write { try $0.attributeReviews.begin(app: 1, removes: true) }
        let first = try #require(try await store.read { try $0.attributeReviews.next() })
        #expect(first.app == 1 && first.contactsAfter == 0 && first.registrationsThrough == 0)
        let next = first.reaching(contactsAfter: 7, registrationsThrough: 0)
        let moves = try await store.write { connection in
            [
                try connection.attributeReviews.advance(first, to: next),
                try connection.attributeReviews.advance(first, to: next),
            ]
        }
        #expect(moves == [true, false])
        // A definition begins it anew, and leaves the contacts where they are.
        try await store.write { try $0.attributeReviews.begin(app: 1, removes: false) }
        #expect(try await store.read { try $0.attributeReviews.find(app: 1) } == next)
        try await store.write { try $0.attributeReviews.end(first) }
        #expect(try await store.read { try $0.attributeReviews.next() } == next)
        try await store.write { try $0.attributeReviews.end(next) }
        #expect(try await store.read { try $0.attributeReviews.next() } == nil)
    }
}
