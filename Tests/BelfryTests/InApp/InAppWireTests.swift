import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

struct InAppWireTests {
    private static let message = #"""
        {"campaignId":"7","content":{"title":"Hi"},"delaySeconds":0,"displayCount":1,"displayEpoch":3,"displayLimit":2,
        "endsAt":"2026-12-24T18:00:00.000Z","id":"00000000-0007-8000-8000-000000000001","priority":999,
        "startsAt":"2026-12-01T09:00:00.000Z","trigger":{"event":"session:start"},"type":"modal","version":4}
        """#.replacing("\n", with: "")

    @Test("WIRE-9: a message and its response are written as they are read, absent keys left out")
    func roundTrip() throws {
        let body = try decoded(InAppMessageBody.self, Self.message)
        #expect(body.version == 4 && body.displayEpoch == 3 && body.trigger == InAppTrigger(event: "session:start"))
        #expect(try encoded(body) == Self.message)
        let json = #"{"cursor":"abc","messages":[\#(Self.message)],"recalled":["x"]}"#
        let response = try decoded(InAppSyncResponse.self, json)
        #expect(response == InAppSyncResponse(cursor: "abc", messages: [body], recalled: ["x"]))
        #expect(try encoded(response) == json)
        let least = InAppMessageBody(id: "a", version: 1, campaignId: "1", type: .inline, content: InAppContent())
        let leastJSON = """
            {"campaignId":"1","content":{},"delaySeconds":0,"displayLimit":1,"id":"a","priority":999,"type":"inline",\
            "version":1}
            """
        #expect(try encoded(least) == leastJSON && decoded(InAppMessageBody.self, leastJSON) == least)
        #expect(try encoded(InAppSyncResponse(cursor: "abc")) == #"{"cursor":"abc","messages":[],"recalled":[]}"#)
        let lost = #"{"cursor":"abc","messages":[],"pushTokenNeeded":true,"recalled":[]}"#
        #expect(try decoded(InAppSyncResponse.self, lost) == InAppSyncResponse(cursor: "abc", pushTokenNeeded: true))
        #expect(try encoded(InAppSyncResponse(cursor: "abc", pushTokenNeeded: true)) == lost)
    }

    @Test("WIRE-9: a message of a newer type affects no other; an invalid response is refused")
    func unreadable() throws {
        let later = Self.message.replacing("\"modal\"", with: "\"hologram\"")
        let json = #"{"cursor":"abc","messages":[\#(later),\#(Self.message),{"id":1}],"recalled":[]}"#
        #expect(try decoded(InAppSyncResponse.self, json).messages.map(\.type) == [.modal])
        for json in ["{}", #"{"messages":[],"recalled":[]}"#, #"{"cursor":"a","messages":{},"recalled":[]}"#] {
            #expect(throws: DecodingError.self) { try decoded(InAppSyncResponse.self, json) }
        }
    }

    @Test("WIRE-6, IAM-13: the responses to v3 clients have v3's format")
    func v3InAppMessages() throws {
        let response = EventBatchResponse(
            message: V3InAppMessage(campaignId: "1", html: "<p>"),
            onEventAction: OnEventAction(
                campaignId: "2",
                actions: [
                    V3InAppAction(type: .customEvent, name: "rate", payload: ["k": "v"]),
                    V3InAppAction(type: .appEvent, name: "rate"),
                    V3InAppAction(type: .openExternalUrl, url: "https://example.com/"),
                ]
            )
        )
        let json = #"""
            {"message":{"campaignId":"1","html":"<p>"},"onEventAction":{"actions":[
            {"name":"rate","payload":{"k":"v"},"type":"MECustomEvent"},{"name":"rate","type":"MEAppEvent"},
            {"type":"OpenExternalUrl","url":"https://example.com/"}],"campaignId":"2"}}
            """#.replacing("\n", with: "")
        #expect(try encoded(response) == json && decoded(EventBatchResponse.self, json) == response)
        let inline = InlineMessagesResponse(inlineMessages: [.init(campaignId: "3", html: "<b>", viewId: "home")])
        #expect(
            try encoded(inline)
                == #"{"inlineMessages":[{"campaignId":"3","html":"<b>","viewId":"home"}],"oldCampaigns":[]}"#
        )
    }
}
