import BelfryAPI
import BelfryModel
import BelfryServices
import BelfryStore
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Quarantined work")
struct QuarantineTests {
    @Test("SEC-8: operators see what is quarantined, why and since when, the newest first and page by page")
    func list() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let none = try await server.admin(.get, "/quarantine").json(QuarantineResponse.self)
            #expect(none == QuarantineResponse(work: []))
            try await server.quarantine([.registration(1), .plan(4), .upkeep(.auditLog)])
            let all = try await server.admin(.get, "/quarantine").json(QuarantineResponse.self)
            #expect(all.work.map(\.id) == ["upkeep-auditLog", "plan-4", "registration-1"])
            #expect(all.work.map(\.kind) == ["upkeep", "plan", "registration"])
            #expect(all.work.map(\.app) == [nil, "shop", "shop"])
            #expect(all.work.map(\.campaign) == [nil, "4", nil] && all.cursor == nil)
            let now = all.work.first?.since
            #expect(all.work.allSatisfy { $0.attempts == 3 && $0.reason == "It failed." && $0.since == now })
            let first = try await server.admin(.get, "/quarantine?limit=2").json(QuarantineResponse.self)
            #expect(first.work == Array(all.work.prefix(2)))
            let cursor = try #require(first.cursor)
            let rest = try await server.admin(.get, "/quarantine?limit=2&cursor=\(cursor)").json(
                QuarantineResponse.self)
            #expect(rest.work == Array(all.work.suffix(1)) && rest.cursor == nil)
        }
    }

    @Test("SEC-8, ADM-1: the key of an app sees and changes only that app's items, with the right scope")
    func keys() async throws {
        try await TestServer.run { server in
            let own = try await server.makeApp()
            let other = try await server.makeApp("other")
            try await server.quarantine([.registration(1), .upkeep(.events)])
            let mine = try await server.admin(.get, "/quarantine", key: own).json(QuarantineResponse.self)
            #expect(mine.work.map(\.id) == ["registration-1"])
            let theirs = try await server.admin(.get, "/quarantine", key: other).json(QuarantineResponse.self)
            #expect(theirs.work.isEmpty)
            let before = try await server.quarantined()
            for (key, id) in [(other, "registration-1"), (own, "upkeep-events"), (own, "registration-01")] {
                for (method, path) in [
                    (HTTPRequest.Method.post, "/quarantine/\(id)/retry"), (.delete, "/quarantine/\(id)"),
                ] {
                    let response = try await server.admin(method, path, key: key)
                    try expectError(response, .notFound, "notFound", target: "work in quarantine", "\(id)")
                }
            }
            let reader = try await server.makeKey(["read"])
            let rejected = try await server.admin(.post, "/quarantine/registration-1/retry", key: reader)
            try expectError(rejected, .forbidden, "forbidden")
            #expect(try await server.quarantined() == before)
            #expect(try await server.admin(.delete, "/quarantine/registration-1", key: own).status == .noContent)
            #expect(try await server.quarantined() == ["upkeep-events"])
        }
    }

    @Test(
        "SEC-8, ADM-1: retry and drop are in the audit log; an unknown item is a 404, upkeep cannot be dropped")
    func changes() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.quarantine([.registration(1), .silentPush(device: 1), .upkeep(.events)])
            let dropped = try await server.admin(.delete, "/quarantine/upkeep-events")
            try expectError(dropped, .conflict, "conflict")
            for path in ["registration-1", "upkeep-events"] {
                #expect(try await server.admin(.post, "/quarantine/\(path)/retry").status == .noContent)
                let again = try await server.admin(.post, "/quarantine/\(path)/retry")
                try expectError(again, .notFound, "notFound", target: "work in quarantine")
            }
            #expect(try await server.admin(.delete, "/quarantine/silentPush-1").status == .noContent)
            // Looked at before the list is asked for, which the log has, too.
            let entries = try await server.database.read { try $0.audit.newest(3) }.reversed()
            #expect(try await server.quarantined().isEmpty)
            #expect(
                entries.map { "\($0.action) \($0.app ?? "") \($0.target ?? "")" } == [
                    "quarantine.retry shop registration-1", "quarantine.retry  upkeep-events",
                    "quarantine.drop shop silentPush-1",
                ]
            )
        }
    }

    @Test("SEC-8: a retry that fails at once is a conflict with its reason; it stays listed and is in the audit log")
    func failedRetry() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft)
            try await server.quarantine([.plan(1)])
            _ = try await server.database.write { connection in
                try connection.execute("UPDATE campaigns SET content = 'no JSON', status = 'paused'")
            }
            let response = try await server.admin(.post, "/quarantine/plan-1/retry")
            try expectError(response, .conflict, "setAsideAgain")
            let message = try response.json(ErrorBody.self).error.message
            #expect(message.contains("plan-1 was retried") && message.contains("4 times and failed"))
            let logged = try await server.database.read { try $0.audit.newest(1).map(\.action) }
            #expect(logged == ["quarantine.retry"])
            let list = try await server.admin(.get, "/quarantine").json(QuarantineResponse.self)
            #expect(list.work.map(\.attempts) == [4])
            #expect(list.work.allSatisfy { message.contains($0.reason) })
        }
    }

    @Test("SEC-8: the ids of work are read back, each in one spelling")
    func names() {
        var subjects: [WorkSubject] = [
            .registration(12), .plan(7), .silentPush(device: 33), .upkeep(.events), .upkeep(.silentPushes),
            .attributeReview(app: 1), .contactFollowing(5), .eventMove(device: 33, contact: 5),
        ]
        let background = ["attributeReview-1", "contactFollowing-5", "eventMove-33-5"]
        #expect(subjects.suffix(3).map(\.description) == background)
        if let campaign = CampaignID(7 as Int64) { subjects.append(.recall(campaign)) }
        #expect(subjects.last?.description == "recall-7")
        for subject in subjects { #expect(WorkSubject(subject.description) == subject) }
        #expect(WorkSubject("batch-7-1001")?.description == "batch-7-1001")
        for wrong in [
            "", "-", "batch", "batch-7", "batch-7-1001-1", "batch-07-1", "plan-", "plan-+7", "plan--7-", "plan-7 ",
            "upkeep-1", "upkeep-", "eventMove-33", "attributeReview-1-0", "contactFollowing-", "other-7", "Plan-7",
            "plan-99999999999999999999",
        ] {
            #expect(WorkSubject(wrong) == nil, "\(wrong)")
        }
    }
}

extension TestServer {
    /// The work that an operator finds in quarantine.
    fileprivate func quarantined() async throws -> [String] {
        try await admin(.get, "/quarantine").json(QuarantineResponse.self).work.map(\.id)
    }

    /// Sets work of the first app aside; upkeep is nobody's.
    func quarantine(_ subjects: [WorkSubject]) async throws {
        let now = clock.now
        try await database.write { connection in
            for subject in subjects {
                try connection.workAttempts.save(
                    WorkAttempt(
                        subject: subject, app: subject.kind == .upkeep ? nil : 1, status: .quarantined, attempts: 3,
                        leaseUntil: now, reason: "It failed.", since: now
                    )
                )
            }
        }
    }
}
