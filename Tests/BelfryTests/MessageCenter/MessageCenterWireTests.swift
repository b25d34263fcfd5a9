import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

struct MessageCenterWireTests {
    private static let message = #"""
        {"custom":{"sku":"42"},"deeplink_url":"app%3A%2F%2Foffer","expiry_ts":"2026-12-24T18:00:00.000Z",
        "has_rich_content":true,"icon_url":"https%3A%2F%2Fexample.com%2Fi.png","id":"m1","message":"There",
        "message_center_name":"Offers","richmessage_url":"https%3A%2F%2Fexample.com%2Fr",
        "sent_ts":"2026-11-21T12:00:00.000Z","state":"read","subject":"Hi"}
        """#.replacing("\n", with: "")

    @Test("MC-8, WIRE-10: a message has the names of the table, and is written as it was read")
    func message() throws {
        let body = try decoded(MessageCenterMessageBody.self, Self.message)
        #expect(body.id == "m1" && body.center == "Offers" && body.state == .read && body.hasRichContent)
        #expect(body.deeplinkURL.flatMap(WireURL.decoded) == "app://offer" && body.custom == ["sku": "42"])
        #expect(try encoded(body) == Self.message)
    }

    @Test("MC-8: absent fields of a message are left out; without a state it is unread")
    func plainMessage() throws {
        let text = #"{"id":"m1","message":"b","message_center_name":"Primary","sent_ts":"t","subject":"a"}"#
        let body = try decoded(MessageCenterMessageBody.self, text)
        #expect(body == MessageCenterMessageBody(id: "m1", sentAt: "t", subject: "a", message: "b"))
        #expect(
            try encoded(body)
                == text.replacing(#"{"id""#, with: #"{"has_rich_content":false,"id""#)
                .replacing(#","subject"#, with: #","state":"unread","subject"#)
        )
        for missing in ["id", "message", "message_center_name", "sent_ts", "subject"] {
            let without = text.replacing(#""\#(missing)":"#, with: #""x":"#)
            #expect(throws: DecodingError.self, "\(missing)") { try decoded(MessageCenterMessageBody.self, without) }
        }
    }

    @Test(
        "MC-8: addresses are encoded completely, as encodeURIComponent does, and decoded again",
        arguments: [
            ("app://offer", "app%3A%2F%2Foffer"), ("-_.!~*'()azAZ09", "-_.!~*'()azAZ09"), ("", ""),
            ("\u{FEFF}app://offer", "%EF%BB%BFapp%3A%2F%2Foffer"),
            (
                "https://example.com/a b?x=1&y=é#%41",
                "https%3A%2F%2Fexample.com%2Fa%20b%3Fx%3D1%26y%3D%C3%A9%23%2541"
            ),
        ]
    )
    func addresses(url: String, wire: String) {
        #expect(WireURL.encoded(url) == wire)
        #expect(WireURL.decoded(wire) == url)
        #expect(WireURL.decoded(wire.lowercased())?.lowercased() == url.lowercased())
    }

    @Test("MC-8: text that no encoder writes is no address", arguments: ["%", "a%4", "%zz", "%c3", "%+1", "%ff%fe"])
    func brokenAddresses(text: String) {
        #expect(WireURL.decoded(text) == nil)
    }

    @Test("WIRE-10: the response to a fetch lists centers, and the badge if it has one")
    func centers() throws {
        let text = #"{"badge":{"count":3,"revision":9},"messageCenters":[{"messages":[],"name":"Primary"}]}"#
        let response = try decoded(MessageCentersResponse.self, text)
        #expect(response.badge == Badge(count: 3, revision: 9) && response.messageCenters.map(\.name) == ["Primary"])
        #expect(try encoded(response) == text)
        let labelled = text.replacing(#"{"messages""#, with: #"{"label":"Inbox","messages""#)
        #expect(try decoded(MessageCentersResponse.self, labelled).messageCenters.map(\.label) == ["Inbox"])
        #expect(try encoded(decoded(MessageCentersResponse.self, labelled)) == labelled)
        #expect(try decoded(MessageCentersResponse.self, #"{"messageCenters":[]}"#).badge == nil)
        let one = try decoded(MessageCenterMessagesResponse.self, #"{"messages":[\#(Self.message)]}"#)
        #expect(one.messages.map(\.id) == ["m1"])
    }

    @Test("WIRE-11, WIRE-12, WIRE-15: absent fields are not written")
    func requests() throws {
        #expect(try encoded(BadgeRequest(count: 3)) == #"{"count":3}"#)
        #expect(try encoded(BadgeRequest(count: 0, revision: 4)) == #"{"count":0,"revision":4}"#)
        #expect(try encoded(MessageStateRequest(state: .read)) == #"{"state":"read"}"#)
        #expect(
            try encoded(MessageStateRequest(state: .deleted, contact: "c")) == #"{"contact":"c","state":"deleted"}"#)
        #expect(throws: DecodingError.self) { try decoded(MessageStateRequest.self, #"{"state":"archived"}"#) }
        #expect(try encoded(RichContentResponse(id: "m", html: "<p/>")) == #"{"html":"<p/>","id":"m"}"#)
    }

    @Test("BADGE-5, MC-4: a push says what to fetch, and has the badge with its revision")
    func payload() throws {
        let text = #"{"badge":{"count":1,"revision":2},"sid":"s","sync":["messageCenter"]}"#
        let payload = try decoded(PushPayload.self, text)
        #expect(payload.sync == [PushPayload.messageCenterSync] && payload.badge == Badge(count: 1, revision: 2))
        #expect(try encoded(payload) == text)
        #expect(try decoded(PushPayload.self, #"{"sid":"s"}"#).sync == nil)
    }
}
