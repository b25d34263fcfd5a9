import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Message centers over the admin API")
struct MessageCenterTests {
    static let path = "/apps/shop/message-centers"

    private static func put(
        _ name: String, _ body: String, on server: TestServer
    ) async throws -> APIResponse {
        try await server.admin(.put, "\(path)/\(name)", body)
    }

    private static func list(_ server: TestServer) async throws -> [String] {
        try await server.admin(.get, path).json(MessageCenterListResponse.self).messageCenters.map {
            "\($0.name) \($0.label ?? "-") \($0.enabled)"
        }
    }

    @Test("MC-2, ADM-2: an app has Primary and four custom ones; they can be labelled, disabled, deleted and recreated")
    func life() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            #expect(try await Self.list(server) == ["Primary - true"])
            for name in ["news", "offers", "a_1", "b-2"] {
                let made = try await Self.put(name, "{}", on: server)
                #expect(made.status == .ok)
                #expect(made.text == #"{"enabled":true,"name":"\#(name)"}"#)
                server.clock.advance(by: 1)
            }
            let changed = try await Self.put("news", #"{"label":" News \u00e9 ","enabled":false}"#, on: server)
            #expect(changed.text == #"{"enabled":false,"label":"News é","name":"news"}"#)
            _ = try await Self.put("news", "{}", on: server)
            _ = try await Self.put("offers", #"{"label":"Offers"}"#, on: server)
            _ = try await Self.put("offers", #"{"label":"  ","enabled":false}"#, on: server)
            _ = try await Self.put("offers", #"{"label":null,"enabled":true}"#, on: server)
            _ = try await Self.put("Primary", #"{"label":"Inbox"}"#, on: server)
            let all = ["Primary Inbox true", "news News é false", "offers - true", "a_1 - true", "b-2 - true"]
            #expect(try await Self.list(server) == all)

            #expect(try await server.admin(.delete, "\(Self.path)/a_1").status == .noContent)
            #expect(try await Self.put("news2", "{}", on: server).status == .ok)
            #expect(try await Self.list(server) == all.filter { !$0.hasPrefix("a_1") } + ["news2 - true"])
        }
    }

    @Test("MC-2: a fifth custom center is a conflict that says what to do; another app has its own")
    func tooMany() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await server.makeApp("other")
            for number in 1...4 { _ = try await Self.put("c\(number)", "{}", on: server) }
            let before = try await server.contents()
            let response = try await Self.put("c5", #"{"label":"Five"}"#, on: server)
            try expectError(response, .conflict, "conflict")
            #expect(response.text.contains("at most 4") && response.text.contains("Delete one first"))
            #expect(try await server.contents() == before)
            // Existing message centers can still be changed.
            #expect(try await Self.put("c4", #"{"label":"Four"}"#, on: server).status == .ok)
            #expect(try await Self.put("Primary", #"{"label":"Inbox"}"#, on: server).status == .ok)
            #expect(try await server.admin(.put, "/apps/other/message-centers/c5", "{}").status == .ok)
        }
    }

    @Test("ADM-2, ADM-3: an invalid center is refused, with every invalid field, and changes nothing")
    func rejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.contents()
            let long = String(repeating: "x", count: 65)
            for name in ["a%20b", "%20news", "news%0A", "%C3%A9", "a.b", "a%2Fb", "%20", long] {
                let response = try await Self.put(name, "{}", on: server)
                try expectError(
                    response, .unprocessableContent, "invalidMessageCenterName", target: "name", "\(name)"
                )
            }
            for label in [long, "a\\u0000b"] {
                let response = try await Self.put("news", #"{"label":"\#(label)"}"#, on: server)
                try expectError(response, .unprocessableContent, "invalidLength", target: "label")
            }
            let both = try await Self.put("a.b", #"{"label":"\#(long)"}"#, on: server)
            let errors = try both.json(ErrorBody.self)
            #expect([errors.error.target] + (errors.details ?? []).map(\.target) == ["name", "label"])
            let unknown = try await Self.put("news", #"{"enabeld":false}"#, on: server)
            try expectError(unknown, .unprocessableContent, "notSupported", target: "enabeld")
            #expect(unknown.text.contains("enabled"))
            try expectError(
                try await Self.put("news", #"{"enabled":"no"}"#, on: server), .badRequest, "invalidBody",
                target: "enabled"
            )
            #expect(try await server.contents() == before)
        }
    }

    @Test("MC-2: Primary cannot be deleted, and an unknown center is a 404")
    func deletion() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await Self.put("Primary", #"{"label":"Inbox"}"#, on: server)
            _ = try await Self.put("news", "{}", on: server)
            let before = try await server.contents()
            try expectError(try await server.admin(.delete, "\(Self.path)/Primary"), .conflict, "conflict")
            for name in ["primary", "News", "a.b", "%20news"] {
                let response = try await server.admin(.delete, "\(Self.path)/\(name)")
                try expectError(response, .notFound, "unknownMessageCenter", target: "messageCenter", "\(name)")
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test("MC-2: a center that a waiting campaign uses is not deleted")
    func awaited() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await Self.put("news", "{}", on: server)
            let body = #"""
                {"name":"Later","kind":"messageCenter","audience":{"everyone":true},
                "messageCenter":{"center":"news","subject":"Hi","message":"There"},
                "schedule":{"at":"2027-01-01T00:00:00Z"}}
                """#
            let made = try await server.admin(.post, "/apps/shop/campaigns", body)
            let id = try made.json(CampaignStatusResponse.self).id
            #expect(try await server.admin(.post, "/apps/shop/campaigns/\(id)/launch").status == .accepted)
            let response = try await server.admin(.delete, "\(Self.path)/news")
            try expectError(response, .conflict, "conflict")
            #expect(response.text.contains("Campaign \(id) ('Later') is scheduled"))
            _ = try await server.admin(.post, "/apps/shop/campaigns/\(id)/cancel")
            #expect(try await server.admin(.delete, "\(Self.path)/news").status == .noContent)
        }
    }
}
