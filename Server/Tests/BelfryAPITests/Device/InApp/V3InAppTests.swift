import BelfryAPI
import BelfryModel
import BelfryStore
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@Suite("In-app messages in the response to events")
struct V3InAppTests {
    @Test("IAM-13, WIRE-6: an event returns the message that it triggers; the ledger and the figures have it")
    func story() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let id = try await story.publish(V3InAppStory.modal(on: "purchase"))
            #expect(try await story.send("browse") == nil)
            let response = try #require(try await story.send("purchase"))
            let message = try #require(response.message)
            #expect(message.campaignId == id && message.html.contains("Sale"))
            #expect(response.onEventAction == nil && response.rejected == nil && response.oldCampaigns == nil)
            #expect(try await story.explain(id).state == "accepted")
            try await story.see(id)
            try await story.send(
                "inapp:click", attributes: #"{"campaignId":"\#(id)","buttonId":"go"}"#, type: "internal")
            let campaign = try await server.admin(.get, "/apps/shop/campaigns/\(id)").json(CampaignResponse.self)
            let counts = try #require(campaign.inAppCounts)
            #expect(counts.downloaded == 1 && counts.displays == 1 && counts.clicksByButton == ["go": 1])
        }
    }

    @Test("IAM-13: the page uses each v3 command, and contains the actions of its buttons")
    func bridge() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let actions = [
                #"{"type":"close"}"#, #"{"type":"openUrl","url":"https://example.com/a"}"#,
                #"{"type":"event","name":"rate","attributes":{"stars":5}}"#, #"{"type":"pushSettings"}"#,
            ]
            let buttons = actions.enumerated().map { #"{"id":"b\#($0)","text":"B\#($0)","action":\#($1)}"# }
            _ = try await story.publish(
                #"""
                {"type":"modal","trigger":{"event":"purchase"},
                 "content":{"title":"Sale","buttons":[\#(buttons.joined(separator: ","))]}}
                """#)
            let html = try #require(try await story.send("purchase")?.message).html
            let commands = [
                "close", "buttonClicked", "triggerAppEvent", "triggerMEEvent", "openExternalLink",
                "requestPushPermission",
            ]
            for command in commands { #expect(html.contains("native('\(command)'"), "\(command)") }
            #expect(html.contains("MEIAM") && html.contains(#""bridge":"v3""#))
            for (number, action) in actions.enumerated() {
                let data = try JSONValue(json: action).members
                #expect(html.contains(#""b\#(number)":{"#), "\(action)")
                for value in data.values.compactMap(\.optionalString) { #expect(html.contains(value), "\(value)") }
            }
        }
    }

    @Test("IAM-13: actions are sent in v3's format; impossible ones are left out")
    func actions() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let kinds = [
                #"{"type":"openUrl","url":"app://cart"}"#, #"{"type":"pushSettings"}"#,
                #"{"type":"event","name":"rate","attributes":{"stars":5}}"#, #"{"type":"event","name":"plain"}"#,
            ]
            let id = try await story.publish(V3InAppStory.action(on: "purchase", kinds.joined(separator: ",")))
            let idle = try await story.publish(
                V3InAppStory.action(on: "browse", #"{"type":"pushSettings"}"#))
            let response = try #require(try await story.send("purchase", "browse"))
            #expect(response.message == nil)
            let expected = OnEventAction(
                campaignId: id,
                actions: [
                    V3InAppAction(type: .openExternalUrl, url: "app://cart"),
                    V3InAppAction(type: .customEvent, name: "rate", payload: ["stars": 5]),
                    V3InAppAction(type: .appEvent, name: "rate", payload: ["stars": 5]),
                    V3InAppAction(type: .customEvent, name: "plain", payload: [:]),
                    V3InAppAction(type: .appEvent, name: "plain", payload: [:]),
                ]
            )
            #expect(response.onEventAction == expected)
            server.clock.advance(by: 60)
            #expect(try await story.send("browse") == nil)
            #expect(try await story.explain(idle).state == "pending")
        }
    }

    @Test(
        "LED-4, REG-33: opt-in means the same for triggers and sends: rejected credentials exclude no device",
        arguments: [(OptOutReason.providerAuthentication, true), (.tokenInvalid, false)]
    )
    func consent(reason: OptOutReason, isShown: Bool) async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            #expect(
                try await story.device.call(.put, "/client/push-token", #"{"pushToken":"0123456789abcdef"}"#).status
                    == .noContent)
            let trigger = #"{"event":"purchase","where":{"device":"pushOptIn","op":"==","value":true}}"#
            _ = try await story.publish(#"{"type":"modal","trigger":\#(trigger),"content":{"title":"Sale"}}"#)
            let now = server.clock.now.addingTimeInterval(1)
            try await server.database.write { [id = story.device.id] connection in
                let app = try #require(try connection.apps.all().first)
                let row = try #require(try connection.devices.find(app: app.id, client: try DeviceID(id)))
                let optOut = TokenOptOut(
                    device: row.id, token: "0123456789abcdef", optOut: OptOut(reason: reason, at: now)
                )
                try connection.optOuts.record([optOut])
                #expect(try connection.devices.find(id: row.id)?.optOut?.reason == reason)
            }
            #expect((try await story.send("purchase")?.message != nil) == isShown)
        }
    }

    @Test("WIRE-6: dnd brings neither message nor action, and the events are stored")
    func quiet() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let id = try await story.publish(V3InAppStory.modal(on: "purchase"))
            _ = try await story.publish(
                V3InAppStory.action(on: "purchase", #"{"type":"event","name":"rate"}"#))
            #expect(try await story.send("purchase", others: #","dnd":true"#) == nil)
            #expect(try await story.device.events().count == 1)
            #expect(try await story.explain(id).state == "pending")
            for flag in ["false", "null", #""true""#] {
                let response = try #require(try await story.send("purchase", others: #","dnd":\#(flag)"#), "\(flag)")
                #expect(response.message != nil && response.onEventAction != nil, "\(flag)")
                server.clock.advance(by: 60)
            }
        }
    }

    @Test("IAM-6: the first message by priority wins, then the newest; one of each kind")
    func several() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let rate = #"{"type":"event","name":"rate"}"#
            var ids: [String] = []
            for priority in [5, 1, 1] {
                ids.append(
                    try await story.publish(
                        V3InAppStory.modal(on: "purchase", "P", #","priority":\#(priority)"#)))
            }
            ids.append(try await story.publish(V3InAppStory.modal(on: "browse", "B", #","priority":3"#)))
            ids.append(try await story.publish(V3InAppStory.action(on: "browse", rate)))
            ids.append(try await story.publish(V3InAppStory.action(on: "purchase", rate, #","priority":2"#)))
            // Two events in one request.
            let first = try #require(try await story.send("browse", "purchase"))
            #expect(first.message?.campaignId == ids[2] && first.onEventAction?.campaignId == ids[5])
            // The gap is over without a reported display; then the messages are displayed one after the other.
            for (message, action) in [(2, 5), (1, 4), (3, nil), (0, nil)] as [(Int, Int?)] {
                server.clock.advance(by: 60)
                let response = try #require(try await story.send("browse", "purchase"), "\(message)")
                #expect(response.message?.campaignId == ids[message])
                #expect(response.onEventAction?.campaignId == action.map { ids[$0] })
                try await story.see(ids[message])
                if let action { try await story.see(ids[action]) }
            }
            server.clock.advance(by: 60)
            #expect(try await story.send("browse", "purchase") == nil)
        }
    }

    @Test("IAM-1, IAM-10: nobody gets messages that are for others, too early, over or paused")
    func closed() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            _ = try await story.publish(V3InAppStory.modal(on: "a"), audience: #"{"contactKeys":["ben"]}"#)
            _ = try await story.publish(V3InAppStory.modal(on: "b", "B", #","startsAt":"2026-11-21T13:00:00Z""#))
            _ = try await story.publish(V3InAppStory.modal(on: "c", "C", #","endsAt":"2026-11-21T12:30:00Z""#))
            let paused = try await story.publish(V3InAppStory.modal(on: "d"))
            _ = try await server.admin(.post, "/apps/shop/campaigns/\(paused)/pause")
            server.clock.advance(by: 1_800)
            for event in ["a", "b", "c", "d"] { #expect(try await story.send(event) == nil, "\(event)") }
            _ = try await server.admin(.post, "/apps/shop/campaigns/\(paused)/resume")
            #expect(try await story.send("d")?.message?.campaignId == paused)
            server.clock.advance(by: 1_800)
            #expect(try await story.send("b")?.message != nil)
        }
    }

    @Test("EVT-3, IAM-13: a repeated batch gets no second message")
    func repeated() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            _ = try await story.publish(V3InAppStory.modal(on: "purchase", "Sale", #","displayLimit":9"#))
            let body = story.body(["purchase"])
            #expect(try await story.send(body: body)?.message != nil)
            server.clock.advance(by: 60)
            #expect(try await story.send(body: body) == nil)
        }
    }

    @Test("CAMP-4, LED-1: a message is rendered for its recipient; one that cannot be is suppressed alone")
    func rendered() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            let bad = try await story.publish(V3InAppStory.modal(on: "purchase", "Hi {{city}}", #","priority":1"#))
            let good = try await story.publish(
                V3InAppStory.modal(on: "purchase", "Hi {{city}}", #","defaults":{"city":"you"}"#))
            let message = try #require(try await story.send("purchase")?.message)
            #expect(message.campaignId == good && message.html.contains("Hi you"))
            #expect(try await story.explain(bad).state == "suppressed")
        }
    }
}
