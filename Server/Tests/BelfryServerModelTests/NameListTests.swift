import BelfryModel
import BelfryServerModel
import Foundation
import Testing

struct NameListTests {
    @Test("ADM-3, SEC-2: a message lists at most fifty names, and says how many more there are")
    func bounded() {
        let names = (0..<120).map { "a\($0)" }
        #expect(NameList.text([]) == "none" && NameList.text(["a"]) == "a")
        #expect(NameList.text(names[..<50]) == names[..<50].joined(separator: ", "))
        #expect(NameList.text(names) == names[..<50].joined(separator: ", ") + " and 70 more")
        let long = Array(repeating: String(repeating: "x", count: 1_024), count: 10)
        #expect(NameList.text(long) == long[..<2].joined(separator: ", ") + " and 8 more")
    }

    @Test("ADM-3, SEC-2: an error about an undefined attribute lists at most fifty attributes")
    func condition() throws {
        let schema = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("attribute\($0)", AttributeType.string) })
        let context = ConditionContext(schema: schema, zone: .gmt, now: Date(timeIntervalSince1970: 1_795_262_400))
        let error = try #require(Condition.attribute("shoe", .exists(true)).errors(in: context).first)
        let message = error.error.message
        #expect(message.hasPrefix("The app has no attribute 'shoe'. Defined: attribute0, attribute1, attribute10, "))
        #expect(message.hasSuffix(" and 9950 more."))
        let none = ConditionContext(schema: [:], zone: .gmt, now: context.now)
        let alone = try #require(Condition.attribute("shoe", .exists(true)).errors(in: none).first)
        #expect(alone.error.message == "The app has no attribute 'shoe'. Defined: none.")
    }
}
