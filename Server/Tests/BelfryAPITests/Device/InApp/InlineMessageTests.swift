import BelfryModel
import BelfryWire
import Foundation
import Testing

@Suite("Inline messages by view id")
struct InlineMessageTests {
    private static func inline(_ viewID: String, _ title: String, _ others: String = "") -> String {
        #"{"type":"inline","viewId":"\#(viewID)","content":{"title":"\#(title)"}\#(others)}"#
    }

    private static func read(
        _ story: inout V3InAppStory, _ viewIDs: String, _ others: String = "", version: String = "v4"
    ) async throws -> InlineMessagesResponse {
        let body = #"{"viewIds":\#(viewIDs)\#(others)}"#
        let response = try await story.device.call(.post, "/inline-messages", body, version: version)
        #expect(response.status == .ok && response.header("X-Client-State") != nil, "\(response.text)")
        return try response.json(InlineMessagesResponse.self)
    }

    @Test("WIRE-14: each view has its message, in any case; the ledger has it too", arguments: ["v3", "v4"])
    func places(version: String) async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let home = try await story.publish(Self.inline("Home", "Welcome"))
            let cart = try await story.publish(Self.inline("cart", "Cheap", #","priority":2"#))
            _ = try await story.publish(Self.inline("CART", "Dear", #","priority":3"#))
            _ = try await story.publish(Self.inline("cart", "Others'"), audience: #"{"contactKeys":["ben"]}"#)
            _ = try await story.publish(V3InAppStory.modal(on: "purchase"))
            let viewIDs = #"["cArT","none","HOME","home",""]"#
            let clicks = #","clicks":[{"campaignId":"7","buttonId":"b"},{"campaignId":"7"}],"deviceEventState":{}"#
            let response = try await Self.read(&story, viewIDs, clicks, version: version)
            #expect(response.inlineMessages.map(\.viewId) == ["cArT", "HOME"])
            #expect(response.inlineMessages.map(\.campaignId) == [cart, home])
            #expect(response.inlineMessages.first?.html.contains("Cheap") == true)
            #expect(response.inlineMessages.last?.html.contains(#""bridge":"v3""#) == true)
            #expect(response.oldCampaigns == (version == "v3" ? ["7"] : []))
            #expect(try await story.explain(cart).state == "accepted")
            let before = try await server.contents()
            #expect(try await Self.read(&story, viewIDs, clicks, version: version) == response)
            #expect(try await server.contents() == before)
        }
    }

    @Test("WIRE-14: a message that is over, or was edited, is updated at once")
    func changes() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let id = try await story.publish(Self.inline("home", "Old"))
            #expect(try await Self.read(&story, #"["home"]"#).inlineMessages.first?.html.contains("Old") == true)
            let message = Self.inline("home", "New")
            let body = #"{"name":"Sale","kind":"inApp","audience":{"everyone":true},"inApp":\#(message)}"#
            _ = try await server.admin(.put, "/apps/shop/campaigns/\(id)", body)
            #expect(try await Self.read(&story, #"["home"]"#).inlineMessages.first?.html.contains("New") == true)
            _ = try await server.admin(.post, "/apps/shop/campaigns/\(id)/cancel")
            #expect(try await Self.read(&story, #"["home"]"#).inlineMessages == [])
        }
    }

    @Test("WIRE-14: a call without view ids gets nothing", arguments: ["{}", #"{"viewIds":null}"#, #"{"viewIds":[]}"#])
    func nowhere(body: String) async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            _ = try await story.publish(Self.inline("home", "Welcome"))
            let response = try await story.device.call(.post, "/inline-messages", body, version: "v4")
            #expect(response.text == #"{"inlineMessages":[],"oldCampaigns":[]}"#)
        }
    }

    @Test(
        "WIRE-14, WIRE-23: invalid view ids are refused, and so are too many",
        arguments: [#"{"viewIds":"home"}"#, #"{"viewIds":[1]}"#, #"{"viewIds":{}}"#, #"{"viewIds":[null]}"#]
    )
    func rejected(body: String) async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let response = try await story.device.call(.post, "/inline-messages", body, version: "v4")
            #expect(response.status == .badRequest)
            let fault = try response.json(ErrorBody.self).error
            #expect(fault.code == "invalidBody" && fault.target?.hasPrefix("viewIds") == true)
            let many = Array(repeating: #""a""#, count: 101).joined(separator: ",")
            let tooMany = try await story.device.call(.post, "/inline-messages", #"{"viewIds":[\#(many)]}"#)
            #expect((400..<500).contains(tooMany.status.code))
            let unauthenticated = try await story.device.call(
                .post, "/inline-messages", #"{"viewIds":["home"]}"#, headers: ["X-Contact-Token": ""])
            try expectError(unauthenticated, .unauthorized, "contactTokenMissing", target: "X-Contact-Token")
        }
    }
}
