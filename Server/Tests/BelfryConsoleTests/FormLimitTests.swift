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
}
