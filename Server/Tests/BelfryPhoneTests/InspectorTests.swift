import Belfry
import BelfryModel
import Foundation
import Testing

@testable import BelfryPhone

@Suite("What the inspector says")
struct InspectorTests {
    private static let noon = PhoneSystemTests.noon

    private static func request(_ method: String, _ path: String) -> TransportRequest {
        TransportRequest(method: method, path: "/v3/apps/shop/client/\(path)", headers: [:], body: nil)
    }

    private static func registration(_ reason: String, in seconds: TimeInterval?) throws -> ClientState.Registration {
        var state: [String: Any] = ["isPending": true, "reason": reason, "rejected": [String]()]
        state["nextAttemptAt"] = seconds.map { noon.addingTimeInterval($0).timeIntervalSinceReferenceDate }
        return try JSONDecoder().decode(
            ClientState.Registration.self, from: try JSONSerialization.data(withJSONObject: state)
        )
    }

    @Test("CON-15: requests are shown without secrets, and bounded")
    func exchanges() throws {
        let request = TransportRequest(
            method: "POST", path: "/v3", headers: [:],
            body: Data(#"{"pushToken":"abcdefghijklmnop","a":[{"token":"x"}]}"#.utf8)
        )
        let exchange = Exchange(
            request, TransportResponse(status: 201), from: Self.noon, to: Self.noon.addingTimeInterval(0.25)
        )
        let sent = try #require(exchange.sent)
        #expect(!sent.contains("abcdefghijklmnop") && sent.contains("abcdef…") && exchange.milliseconds == 250)
        var inspector = Inspector()
        for _ in 0..<500 {
            inspector.note(exchange, request: request, response: nil)
            inspector.note(.app, "x", at: Self.noon)
        }
        #expect(inspector.exchanges.count == Inspector.maximumExchanges)
        #expect(inspector.lines.count == Inspector.maximumLines)
        #expect(inspector.exchanges.first?.number == 500 && inspector.lines.first?.number == 500)
    }

    @Test("CON-15: the sentence of a registration names what was edited, how long it waits, and the rule")
    func registrations() throws {
        func text(_ reason: String, in seconds: TimeInterval? = nil, _ subject: String?) throws -> String {
            RegistrationSentence(state: try Self.registration(reason, in: seconds), subject: subject, now: Self.noon)
                .text
        }
        let one = "The edit of city"
        #expect(
            try text("throttled", in: 40.2, one) == "The edit of city waits 41 s: one registration a minute (REG-4)."
        )
        #expect(
            try text("collectingEdits", in: 2, "The edits of city and tag sports")
                == "The edits of city and tag sports wait 2 s: more edits may follow, and go with it (REG-4)."
        )
        #expect(try text("offline", one) == "The edit of city waits for the network.")
        #expect(try text("changed", one) == "The edit of city is under way.")
        #expect(try text("throttled", in: 41, nil) == "The change waits 41 s: one registration a minute (REG-4).")
        // A clock that was set: no wait is less than none.
        #expect(try text("throttled", in: -5, nil) == "The change waits 0 s: one registration a minute (REG-4).")
    }

    @Test("CON-15: edits that the server has accepted are no longer named, and later ones are; their number is bounded")
    func edits() {
        var inspector = Inspector()
        func answer(_ status: Int, sentAt seconds: TimeInterval) {
            let request = Self.request("POST", "registration")
            let response = TransportResponse(status: status)
            let start = Self.noon.addingTimeInterval(seconds)
            let exchange = Exchange(request, response, from: start, to: start.addingTimeInterval(1))
            inspector.note(exchange, request: request, response: response)
        }
        inspector.noteEdit(of: "city", at: Self.noon)
        inspector.noteEdit(of: "tag sports", at: Self.noon.addingTimeInterval(1))
        answer(503, sentAt: 2)
        #expect(inspector.pendingEdits.subject == "The edits of city and tag sports")
        inspector.noteEdit(of: "city", at: Self.noon.addingTimeInterval(3))
        #expect(inspector.pendingEdits.parts == ["tag sports", "city"])
        answer(201, sentAt: 2)
        #expect(inspector.pendingEdits.subject == "The edit of city")
        answer(201, sentAt: 4)
        #expect(inspector.pendingEdits.subject == nil)
        for number in 0..<100 { inspector.noteEdit(of: "a\(number)", at: Self.noon) }
        #expect(inspector.pendingEdits.parts.count == PendingEdits.maximumNames)
    }

    @Test("CON-15: tokens are told by age: the contact's, the refresh token, and the push token at APNs and the server")
    func tokens() {
        var tokens = TokenAges()
        func answer(_ method: String, _ path: String, _ body: String = "", status: Int = 200, at seconds: TimeInterval)
        {
            let response = TransportResponse(status: status, body: Data(body.utf8))
            tokens.note(Self.request(method, path), response, at: Self.noon.addingTimeInterval(seconds))
        }
        let now = Self.noon.addingTimeInterval(7_260)
        #expect(tokens.contactLines(now: now).isEmpty && tokens.pushLines(now: now).isEmpty)
        answer("POST", "contact?anonymous=true", #"{"contactToken":"a","refreshToken":"b"}"#, at: 0)
        answer("POST", "contact-token", #"{"contactToken":"c"}"#, at: 7_200)
        answer("POST", "contact-token", #"{"contactToken":"c"}"#, status: 401, at: 7_250)
        answer("POST", "contact", "[", at: 7_250)
        #expect(
            tokens.contactLines(now: now) == [
                "The contact token is 1 min old; a 401 renews it (ID-6).", "The refresh token is 2 h old.",
            ]
        )
        tokens.noteIssued(at: Self.noon)
        answer("PUT", "push-token", at: 7_255)
        #expect(tokens.pushLines(now: now) == ["APNs gave it 2 h ago.", "The server has it since 5 s."])
        tokens.noteIssued(at: now)
        #expect(tokens.pushLines(now: now) == ["APNs gave it 0 s ago."])
    }

    @Test("CON-14: a page is told everything once, the inspector's part last, and then only what has changed")
    func live() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        phone.notes.note(.system, "One")
        var parts = LiveParts()
        func names() async throws -> [String] {
            guard let data = try await parts.changes(of: phone) else { return [] }
            return String(decoding: data, as: UTF8.self).components(separatedBy: "\n").filter {
                $0.hasPrefix("event: ")
            }
        }
        #expect(try await names() == ["event: lines", "event: phone", "event: inspector"])
        #expect(try await names() == [])
        phone.notes.note(.system, "Two\n\nevent: phone")
        #expect(try await names() == ["event: lines"])
        await phone.perform(PhoneAction(.unlock))
        #expect(try await names() == ["event: phone"])
        await phone.end()
    }
}
