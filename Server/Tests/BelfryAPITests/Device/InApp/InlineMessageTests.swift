import BelfryModel
import BelfryWire
import Foundation
import HummingbirdTesting
import Testing

@Suite("Inline messages by their places")
struct InlineMessageTests {
    private static func inline(_ viewID: String, _ title: String, _ others: String = "") -> String {
        #"{"type":"inline","viewId":"\#(viewID)","content":{"title":"\#(title)"}\#(others)}"#
    }

    private static func read(
        _ story: inout OverlayStory, _ viewIDs: String, _ others: String = "", version: String = "v4"
    ) async throws -> InlineMessagesAnswer {
        let body = #"{"viewIds":\#(viewIDs)\#(others)}"#
        let answer = try await story.device.call(.post, "/inline-messages", body, version: version)
        #expect(answer.status == .ok && answer.header("X-Client-State") != nil, "\(answer.text)")
        return try answer.json(InlineMessagesAnswer.self)
    }

    @Test("WIRE-14: each place has its message, whatever its case; the ledger has it too", arguments: ["v3", "v4"])
    func places(version: String) async throws {
        try await TestServer.run { server in
            var story = try await OverlayStory(server)
            let home = try await story.publish(Self.inline("Home", "Welcome"))
            let cart = try await story.publish(Self.inline("cart", "Cheap", #","priority":2"#))
            _ = try await story.publish(Self.inline("CART", "Dear", #","priority":3"#))
            _ = try await story.publish(Self.inline("cart", "Others'"), audience: #"{"contactKeys":["ben"]}"#)
            _ = try await story.publish(OverlayStory.modal(on: "purchase"))
            let viewIDs = #"["cArT","none","HOME","home",""]"#
            let clicks = #","clicks":[{"campaignId":"7","buttonId":"b"},{"campaignId":"7"}],"deviceEventState":{}"#
            let answer = try await Self.read(&story, viewIDs, clicks, version: version)
            #expect(answer.inlineMessages.map(\.viewId) == ["cArT", "HOME"])
            #expect(answer.inlineMessages.map(\.campaignId) == [cart, home])
            #expect(answer.inlineMessages.first?.html.contains("Cheap") == true)
            #expect(answer.inlineMessages.last?.html.contains(#""bridge":"v3""#) == true)
            #expect(answer.oldCampaigns == (version == "v3" ? ["7"] : []))
            #expect(try await story.explain(cart).state == "accepted")
            let before = try await server.contents()
            #expect(try await Self.read(&story, viewIDs, clicks, version: version) == answer)
            #expect(try await server.contents() == before)
        }
    }

    @Test("WIRE-14: a message that is over, or was edited, is so at once")
    func changes() async throws {
        try await TestServer.run { server in
            var story = try await OverlayStory(server)
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

    @Test("WIRE-14: who names no place gets nothing", arguments: ["{}", #"{"viewIds":null}"#, #"{"viewIds":[]}"#])
    func nowhere(body: String) async throws {
        try await TestServer.run { server in
            var story = try await OverlayStory(server)
            _ = try await story.publish(Self.inline("home", "Welcome"))
            let answer = try await story.device.call(.post, "/inline-messages", body, version: "v4")
            #expect(answer.text == #"{"inlineMessages":[],"oldCampaigns":[]}"#)
        }
    }

    @Test(
        "WIRE-14, WIRE-23: what names no places is refused, and so are too many",
        arguments: [#"{"viewIds":"home"}"#, #"{"viewIds":[1]}"#, #"{"viewIds":{}}"#, #"{"viewIds":[null]}"#]
    )
    func refused(body: String) async throws {
        try await TestServer.run { server in
            var story = try await OverlayStory(server)
            let answer = try await story.device.call(.post, "/inline-messages", body, version: "v4")
            #expect(answer.status == .badRequest)
            let fault = try answer.json(ErrorBody.self).error
            #expect(fault.code == "invalidBody" && fault.target?.hasPrefix("viewIds") == true)
            let many = Array(repeating: #""a""#, count: 101).joined(separator: ",")
            let tooMany = try await story.device.call(.post, "/inline-messages", #"{"viewIds":[\#(many)]}"#)
            #expect((400..<500).contains(tooMany.status.code))
            let stranger = try await story.device.call(
                .post, "/inline-messages", #"{"viewIds":["home"]}"#, headers: ["X-Contact-Token": ""])
            try expectRefusal(stranger, .unauthorized, "contactTokenMissing", target: "X-Contact-Token")
        }
    }
}
