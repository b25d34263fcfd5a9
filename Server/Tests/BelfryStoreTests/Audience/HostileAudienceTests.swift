import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct HostileAudienceTests {
    /// Names that an operator may define, and values that anyone may send.
    private static let hostile = [
        "it's", "say \"hi\"", "back\\slash", "'; DROP TABLE devices; --", "$.city", "a.b[0]", "vip?", "%s", "new\nline",
        "tab\there", "{}", "\"", "\\\"", "''", "é😀", ")", "/* */", "#>> '{a}'", "true", "null",
    ]

    @Test("CAMP-3: an attribute may have any name and any value", arguments: Engine.allCases, hostile)
    func names(_ engine: Engine, _ text: String) async throws {
        let people = [
            Person(name: "one", attributes: [text: .string(text), "other": "x"], tags: [text]),
            Person(name: "two", attributes: [text: 31, "other": .string(text)]),
            Person(name: "three", attributes: ["other": true]),
        ]
        let fixture = try await AudienceFixture(engine, schema: [text: .string, "other": .string], people: people)
        let table: [(Condition, [String])] = [
            (.attribute(text, .equal(.string(text))), ["one"]),
            (.attribute(text, .equal(31)), ["two"]),
            (.attribute(text, .isIn([31, false])), ["two"]),
            (.attribute(text, .exists(true)), ["one", "two"]),
            (.attribute(text, .startsWith(text)), ["one"]),
            (.attribute("other", .contains(text)), ["two"] + (text == "true" ? ["three"] : [])),
            (.attribute("other", .isIn([.string(text)])), ["two"] + (text == "true" ? ["three"] : [])),
            (.tag(text), ["one"]),
            (.contactKeys([text]), []),
            (.deviceIDs([text]), []),
        ]
        for (condition, names) in table {
            #expect(try await fixture.audience(condition) == names, "\(condition)")
        }
        #expect(try await fixture.store.read { try $0.devices.highestID() } == 3)
    }

    @Test(
        "CAMP-3: an undefined attribute is refused, and the error names it and the defined ones",
        arguments: Engine.allCases)
    func undefined(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: ["city": .string, "age": .number], people: [])
        for condition in [
            Condition.attribute("shoe", .exists(false)), .not(.all([.everyone, .attribute("shoe", .equal(1))])),
            .attribute("City", .equal("Paris")),
        ] {
            let error = await #expect(throws: ValueError.self) { try await fixture.audience(condition) }
            #expect(error?.code == "undefinedAttribute")
            #expect(error?.message.contains("age, city") == true)
        }
    }

    @Test("CAMP-3: a date is compared with dates only", arguments: Engine.allCases)
    func dates(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: ["birthday": .date], people: [])
        let comparisons: [Comparison] = [
            .equal("yesterday"), .less(5), .greater(true), .isIn(["1990-05-29T00:00:00Z", "1990-02-30T00:00:00Z"]),
        ]
        for comparison in comparisons {
            let condition = Condition.attribute("birthday", comparison)
            let error = await #expect(throws: ValueError.self) { try await fixture.audience(condition) }
            #expect(error?.code == "invalidValue")
            #expect(error?.message.contains("birthday") == true)
        }
    }

    @Test("CAMP-3: a predicate that is too complex is refused before the engine sees it", arguments: Engine.allCases)
    func complexity(_ engine: Engine) async throws {
        let fixture = try await AudienceFixture(engine, schema: [:], people: [])
        let parts = Condition.any(Array(repeating: .everyone, count: 300))
        #expect(await #expect(throws: ValueError.self) { try await fixture.audience(parts) }?.code == "tooComplex")
        let null = Condition.contactKeys(["anna\0"])
        #expect(await #expect(throws: ValueError.self) { try await fixture.audience(null) }?.code == "invalidCharacter")
    }
}
