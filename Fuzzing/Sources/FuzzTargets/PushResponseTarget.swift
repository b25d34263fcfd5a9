import BelfryModel
import Foundation

@testable import BelfryPush
@testable import BelfryServerModel

/// Responses of push services and their token endpoints. The fields of an input: the status, `Retry-After`, the body.
enum PushResponseTarget {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let status = Int(input.text()) ?? 400
        let fields = [HeaderField("retry-after", input.text())]
        let response = PushResponse(status: status, fields: fields, body: input.bytes())
        let now = Fixtures.now
        if let delay = RetryAfter.delay(in: response, now: now) { try check(delay) }
        if let delay = RetryAfter.delay(in: response) { try check(delay) }
        try check(APNsResponse.outcome(of: response, now: now))
        try check(FCMResponse.outcome(of: response, now: now))
        try check(WebPushResponse.outcome(of: response, now: now))
        do {
            let token = try AccessToken.read(status: status, body: response.body, now: now)
            try expect(token.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a header can hold an access token")
            let lifetime = token.expiresAt.timeIntervalSince(now)
            try expect((1...86_400).contains(lifetime), "an access token serves for a time: \(lifetime)")
        } catch let error as AccessTokenError {
            try expect("\(error)".utf8.count < 4_096, "an error is short")
        }
    }

    private static func check(_ delay: TimeInterval) throws {
        try expect((0...RetryAfter.maximum).contains(delay), "a pause has a bound: \(delay)")
    }

    /// The stored parts of a response are limited: a short reason, a time in the past, and a pause with a maximum.
    private static func check(_ outcome: PushOutcome) throws {
        switch outcome {
        case .accepted: break
        case .tokenInvalid(let reason, let since):
            try check(reason)
            try expect(since.map { $0 <= Fixtures.now } ?? true, "a token has been invalid since a moment that is past")
        case .throttled(let reason, let delay), .unavailable(let reason, let delay):
            try check(reason)
            if let delay { try check(delay) }
        case .tokenMalformed(let reason), .topicError(let reason), .credentialExpired(let reason),
            .credentialError(let reason), .payloadError(let reason), .notSent(let reason), .unanswered(let reason):
            try check(reason)
        }
    }

    private static func check(_ reason: String) throws {
        try expect(reason.utf8.count <= 64, "a reason is short: \(reason)")
        try expect(reason.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a reason is visible ASCII: \(reason)")
    }
}
