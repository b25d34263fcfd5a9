import BelfryWire
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Writes with an Idempotency-Key")
struct IdempotencyTests {
    private static func write(
        _ server: TestServer, _ method: HTTPRequest.Method = .post, _ path: String = "/apps", _ body: String? = app(),
        key: String = "k1", admin: String = TestServer.rootKey, others: [String: String] = [:]
    ) async throws -> TestResponse {
        let headers = ["Authorization": "Bearer \(admin)", "Idempotency-Key": key].merging(others) { $1 }
        return try await server.call(method, "/api/v1\(path)", body, headers: headers)
    }

    private static func app(_ code: String = "new") -> String { #"{"code":"\#(code)","name":"New"}"# }

    private static func isReplayed(_ answer: TestResponse) -> Bool { answer.header("Idempotency-Replayed") == "true" }

    /// A server with an app, and the campaigns of that app.
    private static func run(_ test: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await test(server)
        }
    }

    private static func campaigns(_ server: TestServer) async throws -> Int {
        let list = try await server.admin(.get, "/apps/shop/campaigns").json(CampaignListAnswer.self)
        return list.campaigns.count
    }

    @Test("ADM-3: a write that comes again gets its first answer, word by word, and is not done again")
    func repeats() async throws {
        try await Self.run { server in
            let first = try await Self.write(server)
            #expect(first.status == .created && !Self.isReplayed(first))
            let log = try await server.database.read { try $0.audit.newest(100).count }
            for _ in 0..<3 {
                let again = try await Self.write(server)
                #expect(again.status == .created && again.text == first.text && Self.isReplayed(again))
                #expect(again.header("Content-Type") == "application/json")
                #expect(again.header("Cache-Control") == "no-store")
            }
            // That it was asked for again stands in the log, and nothing else happened.
            let repeated = try await server.database.read { try $0.audit.newest(100) }
            #expect(repeated.count == log + 3)
            #expect(repeated.prefix(3).allSatisfy { $0.action == "repeat" && $0.actor == "root" })
            let key = try first.json(CreateAppAnswer.self).apiKey
            #expect(try await server.admin(.get, "/apps", key: key).status == .ok)
        }
    }

    @Test("ADM-3, SEC-1: the secret of an answer that is kept stands nowhere in the database")
    func secret() async throws {
        try await Self.run { server in
            let key = try await Self.write(server).json(CreateAppAnswer.self).apiKey
            let contents = try await server.contents()
            #expect(contents.contains { $0.hasPrefix("idempotent_answers") })
            let hex = key.utf8.map { String(format: "%02X", $0) }.joined()
            let base64 = Data(key.utf8).base64EncodedString().prefix(40)
            for text in [key, hex, String(base64)] { #expect(!contents.joined().contains(text)) }
        }
    }

    @Test("ADM-3: the same key with another method, address or body is refused, and nothing is done")
    func reused() async throws {
        try await Self.run { server in
            let draft = AdminAccessTests.draft
            _ = try await Self.write(server, .post, "/apps/shop/campaigns", draft)
            let before = try await server.contents()
            let others: [(HTTPRequest.Method, String, String?)] = [
                (.put, "/apps/shop/campaigns/1", draft), (.post, "/apps/shop/campaigns?x=1", draft),
                (.post, "/apps/shop/campaigns", draft + " "), (.post, "/apps/shop/campaigns/1/launch", nil),
                (.post, "/apps", Self.app()),
            ]
            for (method, path, body) in others {
                let answer = try await Self.write(server, method, path, body)
                try expectRefusal(answer, .unprocessableContent, "idempotencyKeyReused", target: "Idempotency-Key")
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("ADM-3: of many at once one is done; the others wait or get its answer")
    func concurrent() async throws {
        try await Self.run { server in
            let answers = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await Self.write(server, .post, "/apps/shop/campaigns", AdminAccessTests.draft)
                    }
                }
                return try await group.reduce(into: [TestResponse]()) { $0.append($1) }
            }
            #expect(try await Self.campaigns(server) == 1)
            let done = answers.filter { $0.status == .created }
            #expect(done.count(where: { !Self.isReplayed($0) }) == 1)
            #expect(Set(done.map(\.text)).count == 1)
            for answer in answers where answer.status != .created {
                try expectRefusal(answer, .conflict, "idempotencyKeyInUse")
            }
        }
    }

    @Test("ADM-3: without a key, or with another, a write is done each time")
    func otherKeys() async throws {
        try await Self.run { server in
            let draft = AdminAccessTests.draft
            for key in ["a", "b", "A", "", ""] {
                let answer = try await Self.write(server, .post, "/apps/shop/campaigns", draft, key: key)
                #expect(answer.status == .created && !Self.isReplayed(answer))
            }
            #expect(try await Self.campaigns(server) == 5)
        }
    }

    @Test("ADM-3: a key of one admin is none of another's")
    func principals() async throws {
        try await Self.run { server in
            let own = try await server.makeKey(["campaign"])
            for admin in [TestServer.rootKey, own, own] {
                let path = "/apps/shop/campaigns"
                _ = try await Self.write(server, .post, path, AdminAccessTests.draft, admin: admin)
            }
            #expect(try await Self.campaigns(server) == 2)
        }
    }

    @Test("ADM-3: what is repeated is a refusal too, but none that may end")
    func refusals() async throws {
        try await Self.run { server in
            // That the code is taken stays the answer, even when it is taken no more.
            let taken = try await Self.write(server, .post, "/apps", Self.app("shop"), key: "taken")
            #expect(taken.status == .conflict && !Self.isReplayed(taken))
            _ = try await server.database.write { try $0.execute("UPDATE apps SET code = 'gone' WHERE code = 'shop'") }
            let again = try await Self.write(server, .post, "/apps", Self.app("shop"), key: "taken")
            #expect(again.status == .conflict && again.text == taken.text && Self.isReplayed(again))

            try await server.makeApp("other")
            let key = try await server.makeKey(["read"], app: "other")
            let path = "/apps/other/attributes/city"
            let body = #"{"type":"string"}"#
            #expect(try await Self.write(server, .put, path, body, admin: key).status == .forbidden)
            #expect(try await Self.write(server, .put, path, body, admin: key + "x").status == .unauthorized)
            _ = try await server.database.write { try $0.execute("UPDATE admin_keys SET scopes = 'admin'") }
            let allowed = try await Self.write(server, .put, path, body, admin: key)
            #expect(allowed.status == .ok && !Self.isReplayed(allowed))
        }
    }

    @Test("ADM-3: after a fault of the server nobody knows whether a write was done: its key does nothing more")
    func faults() async throws {
        try await Self.run { server in
            let path = "/apps/shop/campaigns"
            _ = try await server.database.write { try $0.execute("ALTER TABLE campaigns RENAME TO elsewhere") }
            let failed = try await Self.write(server, .post, path, AdminAccessTests.draft)
            #expect(failed.status == .internalServerError)
            _ = try await server.database.write { try $0.execute("ALTER TABLE elsewhere RENAME TO campaigns") }
            for _ in 0..<2 {
                let answer = try await Self.write(server, .post, path, AdminAccessTests.draft)
                try expectRefusal(answer, .conflict, "idempotencyKeyUnanswered")
            }
            #expect(try await Self.campaigns(server) == 0)
            let other = try await Self.write(server, .post, path, AdminAccessTests.draft, key: "k2")
            #expect(other.status == .created && !Self.isReplayed(other))
        }
    }

    @Test("ADM-3: after a day the write is done anew")
    func age() async throws {
        try await Self.run { server in
            _ = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body())
            _ = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft)
            let launch = "/apps/shop/campaigns/1/launch"
            let first = try await Self.write(server, .post, launch, nil)
            #expect(first.status == .accepted)
            let again = try await Self.write(server, .post, launch, nil)
            #expect(again.status == .accepted && Self.isReplayed(again))
            server.clock.advance(by: 86_400)
            // By now it cannot be launched a second time.
            let late = try await Self.write(server, .post, launch, nil)
            #expect(!Self.isReplayed(late))
        }
    }

    @Test(
        "ADM-3: a key has 1 to 255 visible ASCII characters",
        arguments: ["a b", "é", "\t", String(repeating: "k", count: 256)]
    )
    func badKeys(key: String) async throws {
        try await Self.run { server in
            let before = try await server.contents()
            let answer = try await Self.write(server, key: key)
            try expectRefusal(answer, .badRequest, "invalidIdempotencyKey", target: "Idempotency-Key")
            #expect(try await server.contents() == before)
            let longest = String(repeating: "~", count: 255)
            #expect(try await Self.write(server, key: longest).status == .created)
        }
    }

    @Test("ADM-3, WIRE-27: a repetition counts by what a body holds, packed or not")
    func packed() async throws {
        try await Self.run { server in
            let first = try await Self.write(server, .put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            #expect(first.status == .ok)
            let plain = try await Self.write(
                server, .put, "/apps/shop/attributes/city", #"{"type":"string"}"#,
                others: ["Content-Encoding": "identity"]
            )
            #expect(plain.text == first.text && Self.isReplayed(plain))
            let broken = try await Self.write(
                server, .put, "/apps/shop/attributes/city", #"{"type":"string"}"#,
                others: ["Content-Encoding": "gzip"]
            )
            try expectRefusal(broken, .badRequest, "invalidBody", target: "Content-Encoding")
        }
    }

    @Test("ADM-3: a read with a key is a read")
    func reads() async throws {
        try await Self.run { server in
            for _ in 0..<2 {
                let answer = try await Self.write(server, .get, "/apps", nil)
                #expect(answer.status == .ok && !Self.isReplayed(answer))
            }
            let contents = try await server.contents()
            #expect(!contents.contains { $0.hasPrefix("idempotent_answers") })
        }
    }
}
