import BelfryModel
import BelfryWire
import Foundation
import Testing

struct InAppWireTests {
    private static let message = #"""
        {"campaignId":"7","content":{"title":"Hi"},"delaySeconds":0,"displayCount":1,"displayEpoch":3,"displayLimit":2,
        "endsAt":"2026-12-24T18:00:00.000Z","id":"00000000-0007-8000-8000-000000000001","priority":999,
        "startsAt":"2026-12-01T09:00:00.000Z","trigger":{"event":"session:start"},"type":"modal","version":4}
        """#.replacing("\n", with: "")

    private func written(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    @Test("WIRE-9: a message and the answer around it are written as they are read, absent keys left out")
    func roundTrip() throws {
        let body = try read(InAppMessageBody.self, Self.message)
        #expect(body.version == 4 && body.displayEpoch == 3 && body.trigger == InAppTrigger(event: "session:start"))
        #expect(try written(body) == Self.message)
        let json = #"{"cursor":"abc","messages":[\#(Self.message)],"recalled":["x"]}"#
        let answer = try read(InAppSyncAnswer.self, json)
        #expect(answer == InAppSyncAnswer(cursor: "abc", messages: [body], recalled: ["x"]))
        #expect(try written(answer) == json)
        let least = InAppMessageBody(id: "a", version: 1, campaignId: "1", type: .inline, content: InAppContent())
        let leastJSON = """
            {"campaignId":"1","content":{},"delaySeconds":0,"displayLimit":1,"id":"a","priority":999,"type":"inline",\
            "version":1}
            """
        #expect(try written(least) == leastJSON && read(InAppMessageBody.self, leastJSON) == least)
        #expect(try written(InAppSyncAnswer(cursor: "abc")) == #"{"cursor":"abc","messages":[],"recalled":[]}"#)
    }

    @Test("WIRE-9: a message of a type that came later hides no other; an answer that is none is refused")
    func unreadable() throws {
        let later = Self.message.replacing("\"modal\"", with: "\"hologram\"")
        let json = #"{"cursor":"abc","messages":[\#(later),\#(Self.message),{"id":1}],"recalled":[]}"#
        #expect(try read(InAppSyncAnswer.self, json).messages.map(\.type) == [.modal])
        for json in ["{}", #"{"messages":[],"recalled":[]}"#, #"{"cursor":"a","messages":{},"recalled":[]}"#] {
            #expect(throws: DecodingError.self) { try read(InAppSyncAnswer.self, json) }
        }
    }

    @Test("WIRE-6, IAM-13: the answers to clients of version 3 are in its words")
    func overlays() throws {
        let answer = EventBatchAnswer(
            message: OverlayMessage(campaignId: "1", html: "<p>"),
            onEventAction: OnEventAction(
                campaignId: "2",
                actions: [
                    OverlayAction(type: .customEvent, name: "rate", payload: ["k": "v"]),
                    OverlayAction(type: .appEvent, name: "rate"),
                    OverlayAction(type: .openExternalUrl, url: "https://example.com/"),
                ]
            )
        )
        let json = #"""
            {"message":{"campaignId":"1","html":"<p>"},"onEventAction":{"actions":[
            {"name":"rate","payload":{"k":"v"},"type":"MECustomEvent"},{"name":"rate","type":"MEAppEvent"},
            {"type":"OpenExternalUrl","url":"https://example.com/"}],"campaignId":"2"}}
            """#.replacing("\n", with: "")
        #expect(try written(answer) == json && read(EventBatchAnswer.self, json) == answer)
        let inline = InlineMessagesAnswer(inlineMessages: [.init(campaignId: "3", html: "<b>", viewId: "home")])
        #expect(
            try written(inline)
                == #"{"inlineMessages":[{"campaignId":"3","html":"<b>","viewId":"home"}],"oldCampaigns":[]}"#
        )
    }
}
