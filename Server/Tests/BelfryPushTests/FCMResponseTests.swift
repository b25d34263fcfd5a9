import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Testing

struct FCMResponseTests {
    /// Google's table of error codes, judged here by hand.
    private static let documented: [(status: Int, code: String, canonical: String, kind: String)] = [
        (400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "payloadError"),
        (404, "UNREGISTERED", "NOT_FOUND", "tokenInvalid"),
        (403, "SENDER_ID_MISMATCH", "PERMISSION_DENIED", "topicError"),
        (429, "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED", "throttled"),
        (503, "UNAVAILABLE", "UNAVAILABLE", "unavailable"),
        (500, "INTERNAL", "INTERNAL", "unavailable"),
        (401, "THIRD_PARTY_AUTH_ERROR", "UNAUTHENTICATED", "credentialError"),
        (400, "UNSPECIFIED_ERROR", "FAILED_PRECONDITION", "payloadError"),
    ]

    private static let canonical: [(status: Int, word: String, kind: String)] = [
        (401, "UNAUTHENTICATED", "credentialExpired"), (403, "PERMISSION_DENIED", "credentialError"),
        (404, "NOT_FOUND", "topicError"), (429, "RESOURCE_EXHAUSTED", "throttled"),
        (400, "INVALID_ARGUMENT", "payloadError"), (400, "OUT_OF_RANGE", "payloadError"),
        (500, "INTERNAL", "unavailable"), (503, "UNAVAILABLE", "unavailable"),
        (504, "DEADLINE_EXCEEDED", "unavailable"),
        (500, "UNKNOWN", "unavailable"), (409, "ABORTED", "unavailable"), (499, "CANCELLED", "unavailable"),
        (418, "BRAND_NEW", "payloadError"), (599, "BRAND_NEW", "unavailable"),
    ]

    private static let byStatus: [(status: Int, kind: String)] = [
        (100, "unavailable"), (204, "unavailable"), (302, "unavailable"), (400, "payloadError"),
        (401, "credentialExpired"), (403, "credentialError"), (404, "topicError"), (405, "payloadError"),
        (407, "credentialError"), (408, "unavailable"), (413, "payloadError"), (425, "unavailable"), (429, "throttled"),
        (500, "unavailable"), (502, "unavailable"), (503, "unavailable"),
    ]

    @Test("PUSH-20: 200 is accepted")
    func accepted() {
        #expect(outcome(200, #"{"name":"projects/demo/messages/0:1%2"}"#) == .accepted)
    }

    @Test("PUSH-21: every documented code has its meaning and keeps its own word", arguments: documented)
    func documentedCode(_ row: (status: Int, code: String, canonical: String, kind: String)) {
        let outcome = outcome(row.status, Self.body(row.status, row.canonical, code: row.code))
        #expect(outcome.kind == row.kind)
        #expect(outcome.reason == row.code)
    }

    @Test("PUSH-21: without FCM's own code the canonical status decides", arguments: canonical)
    func canonicalStatus(_ row: (status: Int, word: String, kind: String)) {
        let outcome = outcome(row.status, Self.body(row.status, row.word))
        #expect(outcome.kind == row.kind)
        #expect(outcome.reason == row.word)
    }

    @Test("PUSH-21: an unreadable response is judged by its HTTP status", arguments: byStatus)
    func unreadable(_ row: (status: Int, kind: String)) {
        let bodies = [
            "", "<!DOCTYPE html><title>Error 502</title>", "{", "null", "[]", "{}", #"{"error":"x"}"#, #"{"error":{}}"#,
            #"{"error":{"status":7,"details":{}}}"#, #"{"error":{"status":"two words","details":[1,null,[]]}}"#,
            #"{"error":{"details":[{"errorCode":7},{"fieldViolations":"x"}]}}"#, String(repeating: "[", count: 8_192),
        ]
        for body in bodies {
            let outcome = outcome(row.status, body)
            #expect(outcome.kind == row.kind, "\(body.prefix(40))")
            #expect(outcome.reason == "status\(row.status)", "\(body.prefix(40))")
        }
    }

    @Test("PUSH-21: one code means bad tokens or bad messages; the field distinguishes them, or the text")
    func invalidArgument() {
        let violation = { (field: String) in
            #",{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)"}]}"#
        }
        let sentence = "The registration token is not a valid FCM registration token"
        let table: [(body: String, kind: String)] = [
            (
                Self.body(400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", more: violation("message.token")),
                "tokenMalformed"
            ),
            (Self.body(400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", message: sentence), "tokenMalformed"),
            (Self.body(400, "INVALID_ARGUMENT", message: sentence), "tokenMalformed"),
            (Self.body(400, "INVALID_ARGUMENT", more: violation("message.token")), "tokenMalformed"),
            (Self.body(400, "INVALID_ARGUMENT", more: violation("message.data[0].value")), "payloadError"),
            (
                Self.body(
                    400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", message: sentence,
                    more: violation("message.android.ttl")
                ), "payloadError"
            ),
            (
                Self.body(400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", message: "Android message is too big"),
                "payloadError"
            ),
            (Self.body(400, "INVALID_ARGUMENT", message: "Request contains an invalid argument."), "payloadError"),
        ]
        for (body, kind) in table { #expect(outcome(400, body).kind == kind, "\(body)") }
    }

    @Test("PUSH-2: a quota response waits for its Retry-After, else a minute; other problems only with one")
    func retryAfter() {
        let table: [(text: String?, quota: TimeInterval, trouble: TimeInterval?)] = [
            (nil, 60, nil), ("", 60, nil), ("soon", 60, nil), ("0", 0, 0), ("7", 7, 7), ("86400", 3_600, 3_600),
            ("Mon, 24 Nov 2025 16:01:30 GMT", 90, 90),
        ]
        for (text, quota, trouble) in table {
            let fields = text.map { [HeaderField("retry-after", $0)] } ?? []
            let full = PushResponse(
                status: 429, fields: fields,
                body: Array(Self.body(429, "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED").utf8)
            )
            let throttled = FCMResponse.outcome(of: full, now: Fixtures.now)
            #expect(throttled == .throttled(reason: "QUOTA_EXCEEDED", retryAfter: quota))
            let busy = FCMResponse.outcome(of: PushResponse(status: 503, fields: fields), now: Fixtures.now)
            #expect(busy == .unavailable(reason: "status503", retryAfter: trouble))
        }
    }

    @Test("PUSH-4: unsent and unanswered requests differ, and neither is the token's fault")
    func noAnswer() {
        let unsent = PushResult.notProcessed(reason: "refused stream")
        #expect(FCMResponse.outcome(of: unsent, now: Fixtures.now) == .notSent(reason: "refused stream"))
        let silence = PushResult.unanswered(reason: "time-out")
        #expect(FCMResponse.outcome(of: silence, now: Fixtures.now) == .unanswered(reason: "time-out"))
    }

    private func outcome(_ status: Int, _ body: String) -> PushOutcome {
        FCMResponse.outcome(of: PushResponse(status: status, body: Array(body.utf8)), now: Fixtures.now)
    }

    private static func body(
        _ status: Int, _ word: String, code: String? = nil, message: String = "Something.", more: String = ""
    ) -> String {
        let own = code.map { #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#($0)"}"# }
        let details = (own ?? #"{"@type":"type.googleapis.com/google.rpc.Help"}"#) + more
        return #"{"error":{"code":\#(status),"message":"\#(message)","status":"\#(word)","details":[\#(details)]}}"#
    }
}
