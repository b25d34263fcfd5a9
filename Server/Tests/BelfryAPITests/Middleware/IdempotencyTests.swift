import BelfryAPI
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("Writes with an Idempotency-Key")
struct IdempotencyTests {
    private static func write(
        _ server: TestServer, _ method: HTTPRequest.Method = .post, _ path: String = "/apps", _ body: String? = app(),
        key: String = "k1", admin: String = TestServer.rootKey, others: [String: String] = [:]
    ) async throws -> APIResponse {
        let headers = ["Authorization": "Bearer \(admin)", "Idempotency-Key": key].merging(others) { $1 }
        return try await server.call(method, "/api/v1\(path)", body, headers: headers)
    }

    private static func app(_ code: String = "new") -> String { #"{"code":"\#(code)","name":"New"}"# }

    private static func isReplayed(_ answer: APIResponse) -> Bool { answer.header("Idempotency-Replayed") == "true" }

    /// A server with an app, and the campaigns of that app.
    private static func run(_ test: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await test(server)
        }
    }

    private static func campaigns(_ server: TestServer) async throws -> Int {
        let list = try await server.admin(.get, "/apps/shop/campaigns").json(CampaignListResponse.self)
        return list.campaigns.count
    }

    @Test("ADM-3: a repeated write gets its first response, word by word, and is not done again")
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
            // The log has the repetition, and nothing else happened.
            let repeated = try await server.database.read { try $0.audit.newest(100) }
            #expect(repeated.count == log + 3)
            #expect(repeated.prefix(3).allSatisfy { $0.action == "repeat" && $0.actor == "root" })
            let key = try first.json(CreateAppResponse.self).apiKey
            #expect(try await server.admin(.get, "/apps", key: key).status == .ok)
        }
    }

    @Test("ADM-3, SEC-1: the secret in a stored response is nowhere in the database")
    func secret() async throws {
        try await Self.run { server in
            let key = try await Self.write(server).json(CreateAppResponse.self).apiKey
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
                try expectError(answer, .unprocessableContent, "idempotencyKeyReused", target: "Idempotency-Key")
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("ADM-3: of many at once one is done; the others wait or get its response")
    func concurrent() async throws {
        try await Self.run { server in
            let responses = try await withThrowingTaskGroup(of: APIResponse.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await Self.write(server, .post, "/apps/shop/campaigns", AdminAccessTests.draft)
                    }
                }
                return try await group.reduce(into: [APIResponse]()) { $0.append($1) }
            }
            #expect(try await Self.campaigns(server) == 1)
            let done = responses.filter { $0.status == .created }
            #expect(done.count(where: { !Self.isReplayed($0) }) == 1)
            #expect(Set(done.map(\.text)).count == 1)
            for answer in responses where answer.status != .created {
                try expectError(answer, .conflict, "idempotencyKeyInUse")
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

    @Test("ADM-3: another admin's key is a different one")
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

    @Test("ADM-3: errors are repeated too, except temporary ones")
    func rejections() async throws {
        try await Self.run { server in
            // The response is still that the code is taken, even if it is free by then.
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

    @Test("ADM-3: after an error of the server it is unknown whether a write was done: its key is blocked")
    func errors() async throws {
        try await Self.run { server in
            let path = "/apps/shop/campaigns"
            _ = try await server.database.write { try $0.execute("ALTER TABLE campaigns RENAME TO elsewhere") }
            let failed = try await Self.write(server, .post, path, AdminAccessTests.draft)
            #expect(failed.status == .internalServerError)
            _ = try await server.database.write { try $0.execute("ALTER TABLE elsewhere RENAME TO campaigns") }
            for _ in 0..<2 {
                let answer = try await Self.write(server, .post, path, AdminAccessTests.draft)
                try expectError(answer, .conflict, "idempotencyKeyUnanswered")
            }
            #expect(try await Self.campaigns(server) == 0)
            let other = try await Self.write(server, .post, path, AdminAccessTests.draft, key: "k2")
            #expect(other.status == .created && !Self.isReplayed(other))
        }
    }

    @Test("ADM-3: after a day the write is done again")
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
            try expectError(answer, .badRequest, "invalidIdempotencyKey", target: "Idempotency-Key")
            #expect(try await server.contents() == before)
            let longest = String(repeating: "~", count: 255)
            #expect(try await Self.write(server, key: longest).status == .created)
        }
    }

    @Test("ADM-3, WIRE-27: a repetition is recognised by its inflated body, compressed or not")
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
            try expectError(broken, .badRequest, "invalidBody", target: "Content-Encoding")
        }
    }

    @Test("ADM-3: a read with a key is an ordinary read")
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

    @Test("ADM-3, SEC-9: calls that need only the scope read are never stored, whatever their method")
    func readsByPost() async throws {
        try await Self.run { server in
            _ = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft)
            let reader = try await server.makeKey(["read"])
            let reads = [
                ("/apps/shop/campaigns/1/preview", "{}"), ("/apps/shop/campaigns/1/dry-run", "{}"),
                ("/apps/shop/audience", #"{"audience":{"everyone":true}}"#),
            ]
            for (path, body) in reads {
                for _ in 0..<2 {
                    let answer = try await Self.write(server, .post, path, body, admin: reader)
                    #expect(answer.status == .ok && !Self.isReplayed(answer), "\(path)")
                }
            }
            #expect(!(try await server.contents()).contains { $0.hasPrefix("idempotent_answers") })
        }
    }

    @Test("ADM-3, WIRE-28: the description of every write has the header, and no other has")
    func described() {
        for operation in APIRoutes.operations where operation.access.isAdmin && operation.method != .get {
            let isRead = operation.access == .admin(.read)
            #expect(operation.isWriteOfAdmin == !isRead, "\(operation.id)")
            #expect(
                String(decoding: operation.tree.bytes, as: UTF8.self).contains("Idempotency-Key") == !isRead,
                "\(operation.id)")
        }
    }

    @Test("ADM-3: the repetition of a response of more than 256 KiB gets its status, and the reason")
    func longAnswer() async throws {
        try await Self.run { server in
            let provider = try IdentityProvider()
            let name = String(repeating: "k", count: 270_000)
            let key = provider.publicKey.replacing("{", with: #"{"kid":"\#(name)","#)
            let body = #"{"openID":\#(provider.settings(["jwks": #"{"keys":[\#(key)]}"#]))}"#
            let first = try await Self.write(server, .put, "/apps/shop/settings", body)
            #expect(first.status == .ok && first.text.utf8.count > 262_144)
            let again = try await Self.write(server, .put, "/apps/shop/settings", body)
            try expectError(again, .conflict, "answerNotKept")
            #expect(again.text.contains("with status 200"))
        }
    }

    @Test("ADM-3, SEC-9: below the floor of free disk a permitted write is done, and its response is not stored")
    func belowFloor() async throws {
        try await Self.run { server in
            let path = "/apps/shop/settings"
            let body = #"{"maxBadgeCount":7}"#
            let kept = try await Self.write(server, .put, path, body)
            server.disk.set(available: 1_000)
            await server.services.storage.tick()
            let again = try await Self.write(server, .put, path, body)
            #expect(again.text == kept.text && Self.isReplayed(again))
            let rows = try await server.contents().count { $0.hasPrefix("idempotent_answers") }
            for _ in 0..<2 {
                let answer = try await Self.write(server, .put, path, body, key: "low")
                #expect(answer.status == .ok && !Self.isReplayed(answer))
            }
            #expect(try await server.contents().count { $0.hasPrefix("idempotent_answers") } == rows)
        }
    }
}
