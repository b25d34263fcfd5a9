import BelfryModel
import BelfryPush
import BelfryRules
import Foundation
import Testing

/// Docs/Feedback.md, against the code.
@Suite("The table of feedback")
struct FeedbackTableTests {
    private static let now = World.epoch

    @Test("PUSH-21, REG-31, REG-33, REG-35: each answer has the meaning and the consequences that the table says")
    func rows() throws {
        let rows = try FeedbackTable.read()
        #expect(rows.count > 25)
        for row in rows {
            #expect(!row.answers.isEmpty, "\(row)")
            for answer in row.answers {
                let outcome = try #require(answer.outcome(at: row.service, now: Self.now), "\(row.service) \(answer)")
                let consequences = Consequences(of: outcome, now: Self.now)
                #expect(outcome.meaning == row.meaning, "\(row.service) \(answer)")
                #expect(consequences == row.consequences, "\(row.service) \(answer)")
            }
        }
    }

    @Test("PUSH-21: token, topic, credential and payload faults have four different consequences at each service")
    func fourFaults() throws {
        let rows = try FeedbackTable.read()
        for service in ["APNs", "FCM", "Web Push"] {
            let faults = ["token invalid", "wrong topic", "credential fault", "payload fault"].map { meaning in
                Set(rows.filter { $0.service == service && $0.meaning == meaning }.map(\.consequences))
            }
            #expect(faults.allSatisfy { $0.count == 1 }, "\(service)")
            #expect(Set(faults).count == 4, "\(service)")
        }
    }

    @Test("PUSH-21: no answer stands in the table twice, and each service has every meaning that it can give")
    func complete() throws {
        let rows = try FeedbackTable.read()
        let answers = rows.flatMap { row in row.answers.map { "\(row.service) \($0)" } }
        #expect(Set(answers).count == answers.count)
        let common: Set = [
            "accepted", "token invalid", "wrong topic", "credential fault", "payload fault", "throttled", "unavailable",
        ]
        for service in ["APNs", "FCM", "Web Push"] {
            let meanings = Set(rows.filter { $0.service == service }.map(\.meaning))
            #expect(meanings.isSuperset(of: common), "\(service)")
        }
        let all = Set(rows.map(\.meaning))
        #expect(all.count == 11, "every kind of outcome stands there: \(all)")
    }
}
