import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Recipients whose values are long, which anybody's device may send.
struct RecipientPageTests {
    private static let names = (0..<10).map { "story\($0)" }
    private static let values = names.map { RecipientValue.attribute($0) }
    private static let devices = Array(1...60 as ClosedRange<Int64>)
    /// Of one person's values.
    private static let bytes = 160_000

    private static func fixture(_ engine: Engine) async throws -> AudienceFixture {
        let text = AttributeValue.string(String(repeating: "a", count: bytes / names.count))
        let attributes = Dictionary(names.map { ($0, text) }) { first, _ in first }
        return try await AudienceFixture(
            engine, schema: Dictionary(names.map { ($0, AttributeType.string) }) { first, _ in first },
            people: devices.map { Person(name: "person\($0)", attributes: attributes) }
        )
    }

    private func expectBounded(_ pages: [[Int64]]) {
        #expect(pages.flatMap(\.self) == Self.devices)
        let most = RecipientRepository.maximumValueBytes / Self.bytes + 1
        #expect(pages.count > 1 && pages.allSatisfy { page in page.count <= most })
    }

    @Test(
        "SEC-2, CAMP-4: a page of an audience has a bounded number of bytes of values, and the next goes on",
        arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        let fixture = try await Self.fixture(engine)
        let app = fixture.app
        var pages: [[Int64]] = []
        while pages.count < Self.devices.count {
            let last = pages.last?.last ?? 0
            let page = try await fixture.store.ask { asked in
                let audience = try asked.connection.audienceSQL(app: app).compile(.everyone)
                let found = try asked.recipients(
                    after: last, app: app, audience: audience, values: Self.values, limit: 1_000
                )
                return found.map(\.device)
            }
            guard !page.isEmpty else { break }
            pages.append(page)
        }
        expectBounded(pages)
    }

    @Test(
        "SEC-2, CON-12: so has one of a range of devices, and it says how far it has come", arguments: Engine.allCases)
    func ranges(_ engine: Engine) async throws {
        let fixture = try await Self.fixture(engine)
        let app = fixture.app
        var pages: [[Int64]] = []
        var reached: Int64 = 0
        while reached < 1_000, pages.count < Self.devices.count {
            let range = (reached + 1)...1_000
            let page = try await fixture.store.ask { asked in
                let audience = try asked.connection.audienceSQL(app: app).compile(.everyone)
                let found = try asked.recipients(
                    in: range, app: app, audience: audience, values: Self.values, limit: 1_000
                )
                return (devices: found.recipients.map(\.device), reached: found.reached)
            }
            #expect(page.reached >= (page.devices.last ?? 0) && page.reached > reached)
            if !page.devices.isEmpty { pages.append(page.devices) }
            reached = page.reached
        }
        expectBounded(pages)
    }
}
