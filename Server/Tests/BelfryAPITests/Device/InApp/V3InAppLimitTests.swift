import BelfryModel
import BelfryWire
import Foundation
import Testing

@Suite("How often the response to events has a message")
struct V3InAppLimitTests {
    @Test("IAM-6: after a message there is no other for half a minute; actions do not count")
    func gap() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let first = try await story.publish(V3InAppStory.modal(on: "a"))
            let second = try await story.publish(V3InAppStory.modal(on: "b"))
            let action = try await story.publish(V3InAppStory.action(on: "b", #"{"type":"event","name":"rate"}"#))
            #expect(try await story.send("a")?.message?.campaignId == first)
            server.clock.advance(by: 29)
            let early = try #require(try await story.send("b"))
            #expect(early.message == nil && early.onEventAction?.campaignId == action)
            server.clock.advance(by: 1)
            #expect(try await story.send("b")?.message?.campaignId == second)
        }
    }

    @Test(
        "IAM-6: of two concurrent calls the later gets no second message")
    func lateCall() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let id = try await story.publish(V3InAppStory.modal(on: "a"))
            #expect(try await story.send("a")?.message?.campaignId == id)
            // As in a process that read the clock before the other one responded.
            server.clock.advance(by: -0.005)
            #expect(try await story.send("a")?.message == nil)
            // A clock that was far ahead and is set back holds up nobody.
            server.clock.advance(by: -40)
            #expect(try await story.send("a")?.message?.campaignId == id)
        }
    }

    @Test("IAM-8, IAM-13: displays count by their events, and a message that was just sent counts as shown")
    func displays() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let id = try await story.publish(V3InAppStory.modal(on: "purchase", "Sale", #","displayLimit":2"#))
            #expect(try await story.send("purchase")?.message?.campaignId == id)
            #expect(try await story.send("purchase") == nil)
            // Its response was lost: it was never on screen.
            server.clock.advance(by: 31)
            #expect(try await story.send("purchase")?.message?.campaignId == id)
            try await story.see(id)
            server.clock.advance(by: 31)
            #expect(try await story.send("purchase")?.message?.campaignId == id)
            try await story.see(id)
            server.clock.advance(by: 31)
            #expect(try await story.send("purchase") == nil)
        }
    }

    @Test("IAM-13: rows of viewedMessages count, whatever happened to their events", arguments: ["v3", "v4"])
    func viewedMessages(version: String) async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let id = try await story.publish(V3InAppStory.modal(on: "purchase", "Sale", #","displayLimit":2"#))
            let row = #"{"campaignId":"\#(id)","timestamp":"2026-11-21T12:00:00.000Z"}"#
            let all = #","viewedMessages":[\#(row),\#(row)]"#
            #expect(try await story.send("purchase", others: all, version: version)?.message == nil)
            let one = #","viewedMessages":[\#(row),{"campaignId":"77"}],"clicks":[\#(row),\#(row)]"#
            let response = try #require(try await story.send("purchase", others: one, version: version))
            #expect(response.message?.campaignId == id)
            #expect(response.oldCampaigns == (version == "v3" ? [id, "77"] : nil))
        }
    }

    @Test("IAM-4: an edit that resets the displays resets the count")
    func reset() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let id = try await story.publish(V3InAppStory.modal(on: "purchase"))
            #expect(try await story.send("purchase")?.message != nil)
            try await story.see(id)
            for (reset, title) in [("false", "Other"), ("true", "New")] {
                server.clock.advance(by: 60)
                let message = V3InAppStory.modal(on: "purchase", title, #","resetDisplays":\#(reset)"#)
                let body = #"{"name":"Sale","kind":"inApp","audience":{"everyone":true},"inApp":\#(message)}"#
                let edited = try await server.admin(.put, "/apps/shop/campaigns/\(id)", body)
                #expect(edited.status == .ok, "\(edited.text)")
                let shown = try await story.send("purchase")?.message
                #expect((shown != nil) == (reset == "true") && shown?.html.contains(title) != false)
            }
        }
    }

    @Test("IAM-5: the n-th event triggers the message, counted from the launch or the last display")
    func occurrence() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            // From before the launch.
            try await story.send("purchase", attributes: #"{"total":"50"}"#)
            server.clock.advance(by: 1)
            let trigger = #"{"event":"purchase","where":{"attribute":"total","op":">","value":10},"occurrence":3}"#
            let id = try await story.publish(
                #"{"type":"modal","trigger":\#(trigger),"displayLimit":2,"content":{"title":"Thrice"}}"#)
            for _ in 0..<2 {
                for (number, total) in ["50", "5", "11", "10", "12"].enumerated() {
                    server.clock.advance(by: 40)
                    let response = try await story.send("purchase", attributes: #"{"total":"\#(total)"}"#)
                    #expect((response?.message != nil) == (number == 4), "\(number)")
                }
                try await story.see(id)
            }
        }
    }

    @Test("IAM-5: with a where the newest 1,000 events are considered, without it all")
    func longHistory() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let filter = #""where":{"attribute":"total","op":">","value":10},"#
            func trigger(_ filter: String, _ occurrence: Int) -> String {
                #"""
                {"type":"modal","trigger":{"event":"go",\#(filter)"occurrence":\#(occurrence)},
                 "content":{"title":"Often"}}
                """#
            }
            let beyond = try await story.publish(trigger(filter, 1_001))
            server.clock.advance(by: 1)
            for _ in 0..<3 {
                let body = story.body(
                    Array(repeating: "go", count: 400), #"{"total":"50"}"#, type: "custom", #","dnd":true"#)
                try await story.send(body: body)
            }
            #expect(try await story.send("go", attributes: #"{"total":"50"}"#) == nil)
            let within = try await story.publish(trigger("", 1_201))
            server.clock.advance(by: 1)
            for _ in 0..<3 {
                try await story.send(
                    body: story.body(Array(repeating: "go", count: 400), "{}", type: "custom", #","dnd":true"#))
            }
            let response = try await story.send("go", attributes: #"{"total":"50"}"#)
            #expect(response?.message?.campaignId == within && response?.message?.campaignId != beyond)
        }
    }

    @Test("IAM-11: displays of one person do not count for the next")
    func persons() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let id = try await story.publish(V3InAppStory.modal(on: "purchase"))
            #expect(try await story.send("purchase")?.message != nil)
            try await story.see(id)
            server.clock.advance(by: 60)
            #expect(try await story.send("purchase") == nil)
            let former = try #require(story.device.contactReference)
            try await story.device.call(
                .post, "/client/contact", #"{"contactFieldId":3,"contactFieldValue":"ben"}"#)
            // Events of the former contact trigger nothing for the present one.
            let at = Timestamp.text(server.clock.now)
            let late = #"""
                {"events":[{"id":"late","type":"custom","name":"purchase","timestamp":"\#(at)","contact":"\#(former)"}]}
                """#
            #expect(try await story.send(body: late) == nil)
            #expect(try await story.send("purchase")?.message?.campaignId == id)
        }
    }

    @Test("SEC-8, IAM-13: what it may cost to compare an upload with the triggers is bounded, and cheap ones go on")
    func costlyTriggers() async throws {
        try await TestServer.run { server in
            var story = try await V3InAppStory(server)
            let list = (1...9_999).map { "\"v\($0)\"" }.joined(separator: ",")
            let costly = try await story.publish(
                #"""
                {"type":"modal","trigger":{"event":"purchase",
                  "where":{"attribute":"sku","op":"in","value":[\#(list),"right"]}},"content":{"title":"Sale"}}
                """#
            )
            let right = #"{"sku":"right"}"#
            #expect(try await story.send("purchase", attributes: right)?.message?.campaignId == costly)
            server.clock.advance(by: 60)
            // The last one would trigger it, behind more comparisons than an upload may cost.
            let others = story.body(Array(repeating: "purchase", count: 40), #"{"sku":"wrong"}"#)
            let last = story.body(["purchase"], right)
            let start = #"{"events":["#
            let events = "\(others.dropLast(2)),\(last.dropFirst(start.count))"
            #expect(try await story.send(body: events) == nil)
            server.clock.advance(by: 60)
            #expect(try await story.send("purchase", attributes: right)?.message?.campaignId == costly)
        }
    }
}
