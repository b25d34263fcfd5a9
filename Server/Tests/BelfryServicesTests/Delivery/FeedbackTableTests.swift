import BelfryCampaigns
import BelfryModel
import BelfryPush
import Foundation
import Testing

/// Docs/Feedback.md, against the code.
@Suite("The table of feedback")
struct FeedbackTableTests {
    private static let now = ServiceWorld.epoch

    @Test("PUSH-21, REG-31, REG-33, REG-35: each response has the meaning and the consequences in the table")
    func rows() throws {
        let rows = try FeedbackTable.read()
        #expect(rows.count > 25)
        for row in rows {
            #expect(!row.answers.isEmpty, "\(row)")
            for response in row.answers {
                let outcome = try #require(
                    response.outcome(at: row.service, now: Self.now), "\(row.service) \(response)")
                let consequences = Consequences(of: outcome, now: Self.now)
                #expect(outcome.meaning == row.meaning, "\(row.service) \(response)")
                #expect(consequences == row.consequences, "\(row.service) \(response)")
            }
        }
    }

    @Test("PUSH-21: token, topic, credential and payload errors have four different consequences at each service")
    func fourFaults() throws {
        let rows = try FeedbackTable.read()
        for service in ["APNs", "FCM", "Web Push"] {
            let errors = ["token invalid", "wrong topic", "credential error", "payload error"].map { meaning in
                Set(rows.filter { $0.service == service && $0.meaning == meaning }.map(\.consequences))
            }
            #expect(errors.allSatisfy { $0.count == 1 }, "\(service)")
            #expect(Set(errors).count == 4, "\(service)")
        }
    }

    @Test("PUSH-21: no response is in the table twice, and each service has all its meanings")
    func complete() throws {
        let rows = try FeedbackTable.read()
        let answers = rows.flatMap { row in row.answers.map { "\(row.service) \($0)" } }
        #expect(Set(answers).count == answers.count)
        let common: Set = [
            "accepted", "token invalid", "wrong topic", "credential error", "payload error", "throttled", "unavailable",
        ]
        for service in ["APNs", "FCM", "Web Push"] {
            let meanings = Set(rows.filter { $0.service == service }.map(\.meaning))
            #expect(meanings.isSuperset(of: common), "\(service)")
        }
        let all = Set(rows.map(\.meaning))
        #expect(all.count == 11, "every kind of outcome is in the table: \(all)")
    }
}
