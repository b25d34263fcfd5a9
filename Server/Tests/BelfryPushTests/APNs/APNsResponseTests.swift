import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Testing

/// Apple's table of responses, copied from its documentation and judged here by hand.
private let documented: [(status: Int, reason: String, kind: String)] = [
    (400, "BadCollapseId", "payloadError"),
    (400, "BadDeviceToken", "tokenMalformed"),
    (400, "BadExpirationDate", "payloadError"),
    (400, "BadMessageId", "payloadError"),
    (400, "BadPriority", "payloadError"),
    (400, "BadTopic", "topicError"),
    (400, "DeviceTokenNotForTopic", "topicError"),
    (400, "DuplicateHeaders", "payloadError"),
    (400, "IdleTimeout", "unavailable"),
    (400, "InvalidPushType", "payloadError"),
    (400, "MissingDeviceToken", "tokenMalformed"),
    (400, "MissingTopic", "topicError"),
    (400, "PayloadEmpty", "payloadError"),
    (400, "TopicDisallowed", "topicError"),
    (403, "BadCertificate", "credentialError"),
    (403, "BadCertificateEnvironment", "credentialError"),
    (403, "BadEnvironmentKeyIdInToken", "credentialError"),
    (403, "BadEnvironmentKeyInToken", "credentialError"),
    (403, "ExpiredProviderToken", "credentialExpired"),
    (403, "Forbidden", "credentialError"),
    (403, "InvalidProviderToken", "credentialError"),
    (403, "MissingProviderToken", "credentialError"),
    (403, "UnrelatedKeyIdInToken", "credentialError"),
    (404, "BadPath", "tokenMalformed"),
    (405, "MethodNotAllowed", "payloadError"),
    (410, "ExpiredToken", "tokenInvalid"),
    (410, "Unregistered", "tokenInvalid"),
    (413, "PayloadTooLarge", "payloadError"),
    (429, "TooManyProviderTokenUpdates", "throttled"),
    (429, "TooManyRequests", "throttled"),
    (500, "InternalServerError", "unavailable"),
    (503, "ServiceUnavailable", "unavailable"),
    (503, "Shutdown", "unavailable"),
]

private let byStatus: [(status: Int, kind: String)] = [
    (100, "unavailable"), (204, "unavailable"), (302, "unavailable"), (400, "payloadError"), (401, "credentialError"),
    (403, "credentialError"), (404, "tokenMalformed"), (405, "payloadError"), (407, "credentialError"),
    (408, "unavailable"), (410, "tokenInvalid"), (413, "payloadError"), (418, "payloadError"), (425, "unavailable"),
    (429, "throttled"), (500, "unavailable"), (502, "unavailable"), (503, "unavailable"), (599, "unavailable"),
]

struct APNsResponseTests {
    @Test("PUSH-20: 200 is accepted")
    func accepted() {
        #expect(APNsResponse.outcome(of: PushResponse(status: 200), now: Fixtures.now) == .accepted)
    }

    @Test("PUSH-21: every documented response has its meaning and keeps its own word", arguments: documented)
    func documentedAnswer(_ row: (status: Int, reason: String, kind: String)) {
        let outcome = outcome(row.status, #"{"reason":"\#(row.reason)"}"#)
        #expect(outcome.kind == row.kind)
        #expect(outcome.reason == row.reason)
    }

    @Test("PUSH-21: a response without a known reason is judged by its status", arguments: byStatus)
    func unknownReason(_ row: (status: Int, kind: String)) {
        let new = outcome(row.status, #"{"reason":"BrandNewReason"}"#)
        #expect(new.kind == row.kind)
        #expect(new.reason == "BrandNewReason")
        let unreadable = [
            "", "<html>Bad Gateway</html>", "{", "null", "[]", "\"Unregistered\"", "{}", #"{"reason":7}"#,
            #"{"reason":""}"#, #"{"reason":"two words"}"#, #"{"reason":"\#(String(repeating: "x", count: 65))"}"#,
            String(repeating: "[", count: 8_192),
        ]
        for body in unreadable {
            let outcome = outcome(row.status, body)
            #expect(outcome.kind == row.kind, "\(body.prefix(40))")
            #expect(outcome.reason == "status\(row.status)", "\(body.prefix(40))")
        }
    }

    @Test("REG-32: a 410 says since when, in milliseconds, and never later than now")
    func timestamp() {
        let past = Date(timeIntervalSince1970: 1_700_000_000.123)
        let table: [(timestamp: String, since: Date?)] = [
            ("1700000000123", past), ("1700000000123.0", past), ("9999999999999", Fixtures.now), ("0", nil),
            ("-5", nil), ("\"1700000000123\"", nil), ("null", nil), ("1e400", nil), ("{}", nil),
        ]
        for (timestamp, since) in table {
            let body = #"{"reason":"Unregistered","timestamp":\#(timestamp)}"#
            guard case .tokenInvalid(_, let said) = outcome(410, body) else {
                Issue.record("not tokenInvalid: \(timestamp)")
                continue
            }
            #expect(said?.milliseconds == since?.milliseconds, "\(timestamp)")
        }
    }

    @Test("PUSH-4: Retry-After is read in seconds, within an hour")
    func retryAfter() {
        let table: [(text: String, seconds: TimeInterval?)] = [
            ("0", 0), ("120", 120), ("3600", 3_600), ("86400", 3_600), (String(repeating: "9", count: 400), 3_600),
            ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil),
        ]
        for (text, seconds) in table {
            let fields = [HeaderField("retry-after", text)]
            let body = Array(#"{"reason":"TooManyRequests"}"#.utf8)
            let throttled = PushResponse(status: 429, fields: fields, body: body)
            #expect(
                APNsResponse.outcome(of: throttled, now: Fixtures.now)
                    == .throttled(reason: "TooManyRequests", retryAfter: seconds)
            )
            let unavailable = PushResponse(status: 503, fields: fields)
            #expect(
                APNsResponse.outcome(of: unavailable, now: Fixtures.now)
                    == .unavailable(reason: "status503", retryAfter: seconds)
            )
        }
    }

    @Test("PUSH-4: unsent and unanswered requests differ, and neither is the token's fault")
    func noAnswer() {
        let unsent = PushResult.notProcessed(reason: "refused stream")
        #expect(APNsResponse.outcome(of: unsent, now: Fixtures.now) == .notSent(reason: "refused stream"))
        let silence = PushResult.unanswered(reason: "time-out")
        #expect(APNsResponse.outcome(of: silence, now: Fixtures.now) == .unanswered(reason: "time-out"))
        let answered = PushResult.answered(PushResponse(status: 200))
        #expect(APNsResponse.outcome(of: answered, now: Fixtures.now) == .accepted)
    }

    private func outcome(_ status: Int, _ body: String) -> PushOutcome {
        APNsResponse.outcome(of: PushResponse(status: status, body: Array(body.utf8)), now: Fixtures.now)
    }
}
