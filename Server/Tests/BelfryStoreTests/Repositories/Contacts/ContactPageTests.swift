import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Lists of contacts with many attributes, which anybody's device may send.
struct ContactPageTests {
    private static let count = 30
    private static let value = String(repeating: "a", count: 400_000)

    private static func store(_ engine: Engine) async throws -> TestStore {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            for number in 0..<count {
                let id = try connection.contacts.findOrInsert(
                    app: 1, key: "ann\(10 + number)", known: true, now: storeEpoch
                )
                var contact = try #require(try connection.contacts.find(id: id))
                contact.attributes = ["text": .string(value)]
                try connection.contacts.save(contact, now: storeEpoch)
            }
        }
        return store
    }

    private static let keys = (0..<count).map { "ann\(10 + $0)" }

    private func expectBounded(_ pages: [[String]], _ expected: [String]) {
        #expect(pages.flatMap(\.self) == expected)
        let most = ContactRepository.maximumPageBytes / Self.value.utf8.count + 1
        #expect(pages.count > 1 && pages.allSatisfy { page in page.count <= most })
    }

    @Test(
        "SEC-2, ADM-7: a page of contacts has a bounded number of bytes, and the next goes on",
        arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        var pages: [[String]] = []
        var cursor: Int64?
        repeat {
            let start = cursor
            let page = try await store.read { try $0.contacts.list(app: 1, before: start, limit: 1_000) }
            pages.append(page.contacts.map(\.key))
            cursor = page.next
        } while cursor != nil && pages.count < Self.count
        expectBounded(pages, Self.keys.reversed())
    }

    @Test("SEC-2, ADM-7: so has one of a search by prefix", arguments: Engine.allCases)
    func prefixPages(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        var pages: [[String]] = []
        var key: String?
        var hasMore = true
        while hasMore, pages.count < Self.count {
            let start = key
            let page = try await store.read {
                try $0.contacts.list(app: 1, prefix: "ann", after: start, limit: 1_000)
            }
            pages.append(page.contacts.map(\.key))
            (key, hasMore) = (page.contacts.last?.key, page.hasMore)
        }
        expectBounded(pages, Self.keys)
    }

    @Test(
        "SEC-8, REG-25: a page of a review of attributes has a bounded number of bytes, too", arguments: Engine.allCases
    )
    func reviewPages(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        let last = try await store.read { try $0.contacts.highestID() }
        var pages: [[String]] = []
        var reached: Int64 = 0
        while reached < last, pages.count < Self.count {
            let ids = (reached + 1)...last
            let page = try await store.read { try $0.contacts.withAttributes(ids, app: 1) }
            pages.append(page.contacts.map(\.key))
            reached = page.reached
        }
        expectBounded(pages, Self.keys)
    }
}
