import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Testing

struct WebPushResponseTests {
    private static let byStatus: [(status: Int, kind: String)] = [
        (200, "accepted"), (201, "accepted"), (202, "accepted"), (204, "accepted"), (206, "unavailable"),
        (301, "unavailable"), (307, "unavailable"), (400, "payloadError"), (401, "credentialError"),
        (403, "credentialError"), (404, "tokenInvalid"), (405, "payloadError"), (406, "throttled"),
        (407, "credentialError"), (408, "unavailable"), (410, "tokenInvalid"), (411, "payloadError"),
        (413, "payloadError"), (415, "payloadError"), (425, "unavailable"), (429, "throttled"), (500, "unavailable"),
        (502, "unavailable"), (503, "unavailable"), (507, "unavailable"),
    ]

    @Test("PUSH-21: each status has its meaning, whatever the body says", arguments: byStatus)
    func status(_ row: (status: Int, kind: String)) {
        for body in ["", "<html>", "{", "[]", #"{"code":1,"errno":109,"message":"no"}"#, #"{"reason":7}"#] {
            let outcome = outcome(row.status, body)
            #expect(outcome.kind == row.kind)
            #expect(outcome.reason == (row.kind == "accepted" ? nil : "status\(row.status)"))
        }
        let named = outcome(row.status, #"{"reason":"BadJwtToken"}"#)
        #expect(named.kind == row.kind)
        #expect(named.reason == (row.kind == "accepted" ? nil : "BadJwtToken"))
    }

    @Test("PUSH-21: a subscription of another key belongs to another sender: that is no credential error")
    func anotherKey() {
        let responses = [
            (
                403,
                "the VAPID credentials in the authorization header do not correspond to the credentials used to "
                    + "create the subscriptions.\n"
            ),
            (401, #"{"code":401,"errno":109,"error":"Unauthorized","message":"VAPID public key mismatch"}"#),
            (400, #"{"reason":"VapidPkHashMismatch"}"#), (403, #"{"reason":"VapidPkHashMismatch"}"#),
            // Subscriptions that were made without a key, for a sender's number.
            (
                403,
                "the key in the authorization header does not correspond to the sender ID used to subscribe this "
                    + "user. Please ensure you are using the correct sender ID.\n"
            ),
            (401, "<HTML><HEAD><TITLE>UnauthorizedRegistration</TITLE></HEAD></HTML>"),
        ]
        for (status, body) in responses {
            #expect(outcome(status, body) == .topicError(reason: "vapidKeyMismatch"))
        }
        #expect(outcome(410, responses[0].1) == .tokenInvalid(reason: "status410", since: nil))
        #expect(outcome(500, responses[1].1).kind == "unavailable")
    }

    @Test("PUSH-4: Retry-After is read in seconds and as a date, within an hour")
    func retryAfter() {
        // Fixtures.now is Monday, 24 November 2025, 16:00:00 GMT.
        let table: [(text: String, seconds: TimeInterval?)] = [
            ("0", 0), ("120", 120), ("86400", 3_600), ("Mon, 24 Nov 2025 16:01:30 GMT", 90),
            ("Mon, 24 Nov 2025 15:00:00 GMT", 0), ("Tue, 25 Nov 2025 16:00:00 GMT", 3_600), ("", nil), ("-1", nil),
            ("soon", nil), ("Mon, 24 Nov 2025 16:01:30", nil), ("Mon, 31 Feb 2025 16:01:30 GMT", nil),
            ("Monday, 24-Nov-25 16:01:30 GMT", nil), ("     GMT", nil),
        ]
        for (text, seconds) in table {
            let response = PushResponse(status: 429, fields: [HeaderField("retry-after", text)])
            let throttled = WebPushResponse.outcome(of: response, now: Fixtures.now)
            #expect(throttled == .throttled(reason: "status429", retryAfter: seconds), "\(text)")
        }
        let busy = PushResponse(status: 503, fields: [HeaderField("retry-after", "7")])
        #expect(
            WebPushResponse.outcome(of: busy, now: Fixtures.now) == .unavailable(reason: "status503", retryAfter: 7)
        )
    }

    @Test("PUSH-4: unsent and unanswered requests differ")
    func noAnswer() {
        let unsent = PushResult.notProcessed(reason: "refused stream")
        #expect(WebPushResponse.outcome(of: unsent, now: Fixtures.now) == .notSent(reason: "refused stream"))
        let silence = PushResult.unanswered(reason: "time-out")
        #expect(WebPushResponse.outcome(of: silence, now: Fixtures.now) == .unanswered(reason: "time-out"))
        let answered = PushResult.answered(PushResponse(status: 201))
        #expect(WebPushResponse.outcome(of: answered, now: Fixtures.now) == .accepted)
    }

    private func outcome(_ status: Int, _ body: String) -> PushOutcome {
        WebPushResponse.outcome(of: PushResponse(status: status, body: Array(body.utf8)), now: Fixtures.now)
    }
}
