import BelfryModel
import Foundation

/// The body of an error of Google's services (`google.rpc.Status`). Invalid members are ignored.
struct FCMError {
    /// FCM's own error code, from the detail `FcmError`.
    let code: String?
    /// The reason of the detail `ErrorInfo`, such as `RATE_LIMIT_EXCEEDED`.
    let reason: String?
    /// Whether a detail `QuotaFailure` says that a quota is exhausted.
    let isQuotaFailure: Bool
    /// The delay in seconds, from the detail `RetryInfo`.
    let retryDelay: TimeInterval?
    /// The canonical status, such as `INVALID_ARGUMENT`.
    let status: String?
    /// Whether the token is invalid, not the message.
    let blamesToken: Bool

    init(_ bytes: [UInt8]) {
        let error = bytes.isEmpty ? nil : try? CheckedJSON.decode(Body.self, from: bytes).error
        let details = error?.details ?? []
        code = details.lazy.compactMap(\.code).first
        reason = details.lazy.filter { $0.isA("ErrorInfo") }.compactMap(\.reason).first
        isQuotaFailure = details.contains { $0.isA("QuotaFailure") }
        retryDelay = details.lazy.filter { $0.isA("RetryInfo") }.compactMap(\.retryDelay).first
        status = error?.status
        let fields = details.flatMap(\.fields)
        // If no field is named, only Google's sentence tells the two apart.
        let sentence = error?.message?.lowercased() ?? ""
        let saysToken = ["registration token", "installation id"].contains { sentence.contains($0) }
        blamesToken = fields.isEmpty ? saysToken : !Self.tokenFields.isDisjoint(with: fields)
    }

    private static let tokenFields: Set<String> = ["message.token", "message.fid"]

    private struct Body: Decodable {
        let error: Status
    }

    private struct Status: Decodable {
        private enum Key: String, CodingKey { case status, message, details }

        let status: String?
        let message: String?
        let details: [Detail]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            status = ReasonWord.checked(try? container.decode(String.self, forKey: .status))
            message = try? container.decode(String.self, forKey: .message)
            details = (try? container.decode([Detail].self, forKey: .details)) ?? []
        }
    }

    private struct Detail: Decodable {
        private enum Key: String, CodingKey {
            case type = "@type"
            case errorCode, fieldViolations, reason, retryDelay
        }

        private let type: String?
        let code: String?
        let reason: String?
        /// The delay in seconds.
        let retryDelay: TimeInterval?
        let fields: [String]

        init(from decoder: any Decoder) throws {
            // A detail of an unknown kind must not make the others unreadable.
            let container = try? decoder.container(keyedBy: Key.self)
            func text(_ key: Key) -> String? { try? container?.decode(String.self, forKey: key) }
            type = text(.type)
            code = ReasonWord.checked(text(.errorCode))
            reason = ReasonWord.checked(text(.reason))
            retryDelay = text(.retryDelay).flatMap(RetryAfter.delay(duration:))
            let violations = try? container?.decode([Violation].self, forKey: .fieldViolations)
            fields = (violations ?? []).compactMap(\.field)
        }

        /// Whether it is the message with this name in `google.rpc`.
        func isA(_ name: String) -> Bool {
            type?.utf8.elementsEqual("type.googleapis.com/google.rpc.\(name)".utf8) == true
        }
    }

    private struct Violation: Decodable {
        let field: String?
    }
}
