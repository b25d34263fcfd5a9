import BelfryModel
import BelfryStore
import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("Apps, credentials and attributes")
struct AppTests {
    @Test("ADM-2: the root key creates an app; its key is shown only this once and works")
    func create() async throws {
        try await TestServer.run { server in
            let answer = try await server.admin(.post, "/apps", #"{"code":"my-app_1.0","name":" My app "}"#)
            #expect(answer.status == .created)
            let made = try answer.json(CreateAppResponse.self)
            #expect(made.code == "my-app_1.0" && made.name == "My app" && made.apiKey.count >= 32)
            let list = try await server.admin(.get, "/apps", key: made.apiKey)
            #expect(list.status == .ok)
            #expect(try list.json(AppListResponse.self).apps == [.init(code: "my-app_1.0", name: "My app")])
            #expect(!list.text.contains(made.apiKey))
        }
    }

    @Test(
        "ADM-2, ADM-3: a bad app is refused and not created",
        arguments: [
            (#"{"code":"shop","name":"Again"}"#, 409, nil), (#"{"code":"","name":"A"}"#, 422, "code"),
            (#"{"code":"a b","name":"A"}"#, 422, "code"), (#"{"code":"b","name":" "}"#, 422, "name"),
            (#"{"code":"\#(String(repeating: "x", count: 65))","name":"A"}"#, 422, "code"),
            (#"{"code":"b"}"#, 400, "name"), (#"{"name":"B"}"#, 400, "code"), (#"{"code":7,"name":"B"}"#, 400, "code"),
            ("", 400, nil), ("[", 400, nil),
        ] as [(String, Int, String?)]
    )
    func badApps(body: String, status: Int, target: String?) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let answer = try await server.admin(.post, "/apps", body)
            #expect(answer.status.code == status)
            #expect(try answer.json(ErrorBody.self).error.target == target)
            #expect(try await server.contents() == before)
        }
    }

    @Test("ADM-2, SEC-1: credentials are stored sealed, and the response contains no secret")
    func credentials() async throws {
        try await TestServer.run { server in
            let key = try await server.makeApp()
            let answer = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body(), key: key)
            #expect(answer.status == .ok)
            let expected = APNsCredentialsResponse(teamId: "TEAM123456", keyId: "KEY1234567", topic: "com.example.app")
            #expect(try answer.json(APNsCredentialsResponse.self) == expected)
            let secret = try Credentials.privateKey().split(separator: "\n")[1]
            #expect(!answer.text.contains(secret))
            #expect(!(try await server.contents().joined().contains(secret)))
        }
    }

    @Test(
        "ADM-2, SEC-5: bad credentials are refused by their field",
        arguments: [
            ("teamId", "short", 422), ("keyId", "", 422), ("topic", "with space", 422), ("privateKey", "no PEM", 422),
            ("endpoint", "https://127.0.0.1:1", 422), ("sandboxEndpoint", "ftp://example.com", 422),
            ("trustRoots", "no PEM", 422), ("teamId", nil, 400), ("privateKey", nil, 400),
        ] as [(String, String?, Int)]
    )
    func badCredentials(field: String, value: String?, status: Int) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let body = try Credentials.body([field: value])
            let answer = try await server.admin(.put, "/apps/shop/credentials/apns", body)
            #expect(answer.status.code == status)
            #expect(try answer.json(ErrorBody.self).error.target == field)
            #expect(try await server.contents() == before)
        }
    }

    @Test("ADM-3: every invalid field is named in one response")
    func everyFault() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let app = try await server.admin(.post, "/apps", #"{"code":"a b","name":" "}"#)
            #expect(try Self.targets(of: app) == ["code", "name"])
            let body = try Credentials.body([
                "teamId": "short", "keyId": "", "topic": "with space", "privateKey": "no PEM",
                "endpoint": "https://127.0.0.1:1", "sandboxEndpoint": "ftp://example.com", "trustRoots": "no PEM",
            ])
            let credentials = try await server.admin(.put, "/apps/shop/credentials/apns", body)
            #expect(
                try Self.targets(of: credentials) == [
                    "teamId", "keyId", "topic", "privateKey", "sandboxEndpoint", "trustRoots", "endpoint",
                ]
            )
        }
    }

    private static func targets(of answer: APIResponse) throws -> [String] {
        #expect(answer.status == .unprocessableContent)
        let body = try answer.json(ErrorBody.self)
        return ([body.error] + (body.details ?? [])).compactMap(\.target)
    }

    @Test("ADM-3: apps are listed page by page; the key of an app sees only its own")
    func pages() async throws {
        try await TestServer.run { server in
            var keys: [String] = []
            for number in 1...5 { keys.append(try await server.makeApp("app-\(number)")) }
            var pages: [[String]] = []
            var query = "?limit=2"
            repeat {
                let page = try await server.admin(.get, "/apps\(query)").json(AppListResponse.self)
                pages.append(page.apps.map(\.code))
                query = page.cursor.map { "?limit=2&cursor=\($0)" } ?? ""
            } while !query.isEmpty && pages.count < 9
            #expect(pages == [["app-1", "app-2"], ["app-3", "app-4"], ["app-5"]])
            let own = try await server.admin(.get, "/apps?limit=1", key: keys[2]).json(AppListResponse.self)
            #expect(own == AppListResponse(apps: [.init(code: "app-3", name: "Shop")]))
            for query in ["limit=0", "limit=1001", "cursor=x"] {
                let answer = try await server.admin(.get, "/apps?\(query)")
                #expect(answer.status == .badRequest)
            }
        }
    }

    @Test("ADM-2: names without the null character, in bodies and in addresses")
    func nullCharacter() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let app = try await server.admin(.post, "/apps", #"{"code":"b","name":"a\u0000b"}"#)
            try expectError(app, .unprocessableContent, "invalidLength", target: "name")
            for (path, target) in [("contacts/anna%00x", "contactKey"), ("devices/%00", "clientId")] {
                let answer = try await server.admin(.get, "/apps/shop/\(path)")
                try expectError(answer, .badRequest, "badRequest", target: target)
            }
            let draft = AdminAccessTests.draft.replacing(#""name":""#, with: #""name":"\u0000"#)
            let campaign = try await server.admin(.post, "/apps/shop/campaigns", draft)
            try expectError(campaign, .unprocessableContent, "invalidLength", target: "name")
        }
    }

    @Test("ADM-2, REG-25: attributes are defined, changed and listed by name")
    func attributes() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for (path, type) in [("shoe%20size", "number"), ("city", "string"), ("city", "date"), ("a%2Fb", "boolean")]
            {
                let answer = try await server.admin(.put, "/apps/shop/attributes/\(path)", #"{"type":"\#(type)"}"#)
                #expect(answer.status == .ok)
                #expect(try answer.json(AttributeDefinition.self).type.rawValue == type)
            }
            let list = try await server.admin(.get, "/apps/shop/attributes").json(AttributeListResponse.self)
            #expect(
                list.attributes == [
                    AttributeDefinition(key: "a/b", type: .boolean), AttributeDefinition(key: "city", type: .date),
                    AttributeDefinition(key: "shoe size", type: .number),
                ]
            )
        }
    }

    @Test(
        "ADM-2, REG-25: reserved and blank names, unknown types and bad addresses are refused",
        arguments: [
            ("Platform", #"{"type":"string"}"#, 422, "key"), ("%20", #"{"type":"string"}"#, 422, "key"),
            (String(repeating: "x", count: 129), #"{"type":"string"}"#, 422, "key"),
            ("%ff", #"{"type":"string"}"#, 400, "key"), ("city", #"{"type":"text"}"#, 400, "type"),
            ("city", "{}", 400, "type"), ("city", #"{"type":null}"#, 400, "type"),
            ("city", #"{"type":"string","foo":1}"#, 422, "foo"),
        ]
    )
    func badAttributes(path: String, body: String, status: Int, target: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let answer = try await server.admin(.put, "/apps/shop/attributes/\(path)", body)
            #expect(answer.status.code == status)
            let error = try answer.json(ErrorBody.self).error
            #expect(error.target == target)
            if body.contains("text") { #expect(error.message.contains("string, number, boolean, date")) }
            #expect(try await server.contents() == before)
        }
    }

    @Test("ADM-2, REG-25: several attributes are defined at once, in the form in which they are listed")
    func bulk() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.makeApp("other")
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"number"}"#)
            let body = #"{"attributes":[{"key":" shoe ","type":"number"},{"key":"city","type":"string"}]}"#
            let answer = try await server.admin(.post, "/apps/shop/attributes", body)
            let defined = [
                AttributeDefinition(key: "shoe", type: .number), AttributeDefinition(key: "city", type: .string),
            ]
            #expect(answer.status == .ok)
            #expect(try answer.json(AttributeListResponse.self).attributes == defined)
            let list = try await server.admin(.get, "/apps/shop/attributes")
            #expect(try list.json(AttributeListResponse.self).attributes == [defined[1], defined[0]])
            _ = try await server.admin(.post, "/apps/other/attributes", list.text)
            #expect(try await server.admin(.get, "/apps/other/attributes").text == list.text)
        }
    }

    @Test("ADM-1, REG-25: the audit log says which attributes were defined and removed")
    func audit() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let body = #"{"attributes":[{"key":"shoe","type":"number"},{"key":"city","type":"string"}]}"#
            _ = try await server.admin(.post, "/apps/shop/attributes", body)
            _ = try await server.admin(.delete, "/apps/shop/attributes/shoe")
            let entries = try await server.database.read { try $0.audit.newest(2) }
            #expect(entries.map(\.action) == ["attribute.remove", "attribute.defineAll"])
            #expect(entries.map(\.target) == ["shoe", "shoe, city"])
            #expect(entries.map(\.app) == ["shop", "shop"])
        }
    }

    @Test("ADM-3, REG-25: of a bad list every wrong attribute is named, and none is defined")
    func badBulk() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let names = ["ok", "Platform", " ", "twice", " twice "]
            let list = names.map { #"{"key":"\#($0)","type":"string"}"# }.joined(separator: ",")
            let answer = try await server.admin(.post, "/apps/shop/attributes", #"{"attributes":[\#(list)]}"#)
            #expect(try Self.targets(of: answer) == ["attributes[1].key", "attributes[2].key", "attributes[4].key"])
            let many = (0...500).map { #"{"key":"a\#($0)","type":"string"}"# }.joined(separator: ",")
            let cases: [(body: String, status: Int, target: String)] = [
                (#"{"attributes":[]}"#, 422, "attributes"), (#"{"attributes":[\#(many)]}"#, 422, "attributes"),
                (#"{"attributes":[{"key":"a","type":"text"}]}"#, 400, "attributes[0].type"),
                (#"{"attributes":[{"type":"string"}]}"#, 400, "attributes[0].key"),
                (#"{"attributes":{}}"#, 400, "attributes"), ("{}", 400, "attributes"),
            ]
            for (body, status, target) in cases {
                let answer = try await server.admin(.post, "/apps/shop/attributes", body)
                #expect(answer.status.code == status, "\(body.prefix(60))")
                #expect(try answer.json(ErrorBody.self).error.target == target, "\(body.prefix(60))")
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("ADM-2, REG-25: an attribute is removed; an unknown one is a 404, and an admin's scope is needed")
    func removal() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/shoe%20size", #"{"type":"number"}"#)
            let removed = try await server.admin(.delete, "/apps/shop/attributes/shoe%20size")
            #expect(removed.status == .noContent)
            #expect(try await server.admin(.get, "/apps/shop/attributes").text == #"{"attributes":[]}"#)
            let before = try await server.contents()
            let again = try await server.admin(.delete, "/apps/shop/attributes/shoe%20size")
            try expectError(again, .notFound, "notFound", target: "attribute")
            let reserved = try await server.admin(.delete, "/apps/shop/attributes/Platform")
            try expectError(reserved, .unprocessableContent, "reservedWord", target: "key")
            #expect(try await server.contents() == before)
        }
    }

    @Test("Health: alive, ready, and figures for Prometheus, each also by HEAD")
    func health() async throws {
        try await TestServer.run { server in
            #expect(try await server.call(.get, "/healthz").text == #"{"status":"ok"}"#)
            #expect(try await server.call(.get, "/readyz").status == .ok)
            let metrics = try await server.call(.get, "/metrics")
            #expect(metrics.header("Content-Type")?.hasPrefix("text/plain; version=0.0.4") == true)
            for path in ["/healthz", "/readyz", "/metrics"] {
                let answer = try await server.call(.head, path)
                #expect(answer.status == .ok && answer.body.readableBytes == 0)
                #expect(answer.header("Cache-Control") == "no-store")
            }
            try server.store.close()
            #expect(try await server.call(.get, "/healthz").status == .ok)
            // A result is valid for a second.
            #expect(try await server.call(.get, "/readyz").status == .ok)
            server.clock.advance(by: 1)
            try expectError(try await server.call(.get, "/readyz"), .serviceUnavailable, "unavailable")
        }
    }
}
