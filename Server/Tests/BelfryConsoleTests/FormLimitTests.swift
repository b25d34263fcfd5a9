import BelfryModel
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("SEC-2: what forms of the console may hold")
struct FormLimitTests {
    @Test("SEC-2: a form that is longer than the limit is the caller's fault, and its page says so")
    func tooLong() async throws {
        try await TestConsole.run { console in
            let visitor = try await console.visitor(as: "anna")
            let answer = try await visitor.submit(
                "/console/scheme", ["next": String(repeating: "a", count: FormFields.maximumBytes)])
            #expect(answer.status == .badRequest && answer.text.contains("It is too long or damaged."))
        }
    }

    @Test(
        "SEC-6, SEC-2: combining marks behind each other cost no form more than other bytes: its texts are stream-safe",
        arguments: [
            "a" + String(repeating: "%CC%81%CC%A3", count: 40_000),
            // Line ends between them are taken out first.
            "a" + String(repeating: String(repeating: "%CC%81", count: 30) + "%0D", count: 2_000),
        ])
    func marks(text: String) throws {
        let form = try #require(FormFields(Array("\(text)=1&b=\(text)".utf8)))
        #expect(form.names.count == 2)
        #expect(form.names.allSatisfy { StreamSafeText.isSafe($0) } && StreamSafeText.isSafe(form["b"]))
    }
}
