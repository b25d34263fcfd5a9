import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
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
        #expect(try await Self.next(store) == nil)
        try await store.write { try $0.attributeReviews.begin(app: 1, removes: true) }
        let first = try #require(try await Self.next(store))
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
        #expect(try await Self.next(store) == next)
        try await store.write { try $0.attributeReviews.end(next) }
        #expect(try await Self.next(store) == nil)
    }

    @Test(
        "SEC-8: a review that is set aside, rests, or is another process's, holds up no other app",
        arguments: Engine.allCases)
    func reviewsLeftOut(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            for app in [1, 2] as [Int64] { try connection.attributeReviews.begin(app: app, removes: false) }
        }
        #expect(try await Self.next(store)?.app == 1)
        func left(_ attempt: WorkAttempt) async throws -> Int64? {
            try await store.write { try $0.workAttempts.save(attempt) }
            return try await Self.next(store)?.app
        }
        let first = WorkSubject.attributeReview(app: 1)
        func attempt(_ status: WorkStatus, owner: String?, lease seconds: Double) -> WorkAttempt {
            WorkAttempt(
                subject: first, app: 1, status: status, attempts: 1, owner: owner,
                leaseUntil: storeEpoch.addingTimeInterval(seconds), since: storeEpoch
            )
        }
        #expect(try await left(attempt(.open, owner: "b", lease: 1)) == 2)
        #expect(try await left(attempt(.open, owner: nil, lease: 1)) == 2)
        #expect(try await left(attempt(.open, owner: "a", lease: 1)) == 1)
        #expect(try await left(attempt(.open, owner: "b", lease: 0)) == 1)
        // A clock was set back: nobody has it for so long.
        #expect(try await left(attempt(.open, owner: "b", lease: WorkAttempt.longestLease + 1)) == 1)
        #expect(try await left(attempt(.quarantined, owner: nil, lease: 0)) == 2)
    }

    private static func next(_ store: TestStore) async throws -> AttributeReview? {
        try await store.read { try $0.attributeReviews.next(for: "a", now: storeEpoch) }
    }
}
