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

    /// Answers of Google's API management, which knows nothing of FCM's own codes.
    private static let general: [(status: Int, word: String, details: String, kind: String, reason: String)] = [
        (429, "RESOURCE_EXHAUSTED", errorInfo("RATE_LIMIT_EXCEEDED"), "throttled", "RATE_LIMIT_EXCEEDED"),
        (403, "PERMISSION_DENIED", errorInfo("RATE_LIMIT_EXCEEDED"), "throttled", "RATE_LIMIT_EXCEEDED"),
        (429, "RESOURCE_EXHAUSTED", quotaFailure, "throttled", "RESOURCE_EXHAUSTED"),
        (400, "FAILED_PRECONDITION", quotaFailure, "throttled", "FAILED_PRECONDITION"),
        (403, "PERMISSION_DENIED", errorInfo("SERVICE_DISABLED"), "credentialError", "SERVICE_DISABLED"),
        (401, "UNAUTHENTICATED", errorInfo("ACCOUNT_STATE_INVALID"), "credentialError", "ACCOUNT_STATE_INVALID"),
        (401, "UNAUTHENTICATED", errorInfo("ACCESS_TOKEN_EXPIRED"), "credentialExpired", "ACCESS_TOKEN_EXPIRED"),
        (503, "UNAVAILABLE", errorInfo("BRAND_NEW"), "unavailable", "BRAND_NEW"),
        (403, "PERMISSION_DENIED", errorInfo("two words"), "credentialError", "PERMISSION_DENIED"),
        (403, "PERMISSION_DENIED", #"{"reason":"RATE_LIMIT_EXCEEDED"}"#, "credentialError", "PERMISSION_DENIED"),
    ]

    @Test("PUSH-2: errors that all of Google's services share are understood, quotas first", arguments: general)
    func generalErrors(_ row: (status: Int, word: String, details: String, kind: String, reason: String)) {
        let body =
            #"{"error":{"code":\#(row.status),"message":"Something.","status":"\#(row.word)","#
            + #""details":[\#(row.details)]}}"#
        let outcome = outcome(row.status, body)
        #expect(outcome.kind == row.kind)
        #expect(outcome.reason == row.reason)
    }

    @Test("PUSH-2: FCM's own code goes before the errors that all services share")
    func ownCodeFirst() {
        let more = "," + Self.errorInfo("RATE_LIMIT_EXCEEDED") + "," + Self.quotaFailure
        let body = Self.body(404, "NOT_FOUND", code: "UNREGISTERED", more: more)
        #expect(outcome(404, body) == .tokenInvalid(reason: "UNREGISTERED", since: nil))
        let quota = Self.body(429, "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", more: "," + Self.quotaFailure)
        #expect(outcome(429, quota) == .throttled(reason: "QUOTA_EXCEEDED", retryAfter: 60))
    }

    @Test("PUSH-2: without Retry-After a quota response waits as long as its RetryInfo says")
    func retryInfo() {
        let table: [(text: String, delay: TimeInterval)] = [
            ("30s", 30), ("1.5s", 2), ("0s", 0), ("99999999999999999999999s", 3_600), ("30", 60), ("s", 60),
            ("-1s", 60), ("1.s", 60), ("", 60),
        ]
        for (text, delay) in table {
            let info = #",{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"\#(text)"}"#
            let body = Self.body(429, "RESOURCE_EXHAUSTED", more: info)
            #expect(outcome(429, body) == .throttled(reason: "RESOURCE_EXHAUSTED", retryAfter: delay), "\(text)")
            let both = PushResponse(status: 429, fields: [HeaderField("retry-after", "7")], body: Array(body.utf8))
            let named = FCMResponse.outcome(of: both, now: Fixtures.now)
            #expect(named == .throttled(reason: "RESOURCE_EXHAUSTED", retryAfter: 7), "\(text)")
        }
    }

    @Test("PUSH-21: a wrong Firebase installation id is a wrong token")
    func installationID() {
        let violation =
            #",{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.fid"}]}"#
        let named = Self.body(400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", more: violation)
        #expect(outcome(400, named).kind == "tokenMalformed")
        let sentence = "The Firebase Installation ID is not valid"
        #expect(outcome(400, Self.body(400, "INVALID_ARGUMENT", message: sentence)).kind == "tokenMalformed")
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

    private static func errorInfo(_ reason: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"\#(reason)","domain":"googleapis.com"}"#
    }

    private static let quotaFailure =
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"device"}]}"#

    private static func body(
        _ status: Int, _ word: String, code: String? = nil, message: String = "Something.", more: String = ""
    ) -> String {
        let own = code.map { #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#($0)"}"# }
        let details = (own ?? #"{"@type":"type.googleapis.com/google.rpc.Help"}"#) + more
        return #"{"error":{"code":\#(status),"message":"\#(message)","status":"\#(word)","details":[\#(details)]}}"#
    }
}
