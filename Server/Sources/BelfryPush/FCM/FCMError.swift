import BelfryModel
import Foundation

/// The body of an error of Google's services (`google.rpc.Status`), as far as each part is what it should be.
struct FCMError {
    /// FCM's own code, of the detail `FcmError`.
    let code: String?
    /// The canonical status, such as `INVALID_ARGUMENT`.
    let status: String?
    /// Whether it is the token that is wrong, not the message.
    let blamesToken: Bool

    init(_ bytes: [UInt8]) {
        let error = bytes.isEmpty ? nil : try? CheckedJSON.decode(Body.self, from: bytes).error
        code = error?.details.lazy.compactMap(\.code).first
        status = error?.status
        let fields = error?.details.flatMap(\.fields) ?? []
        // Where no field is named, Google's sentence is all that tells the two apart.
        let saysToken = error?.message?.lowercased().contains("registration token") == true
        blamesToken = fields.isEmpty ? saysToken : fields.contains("message.token")
    }

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
        private enum Key: String, CodingKey { case errorCode, fieldViolations }

        let code: String?
        let fields: [String]

        init(from decoder: any Decoder) throws {
            // A detail of a kind that nobody knows yet does not spoil the others.
            let container = try? decoder.container(keyedBy: Key.self)
            code = ReasonWord.checked(try? container?.decode(String.self, forKey: .errorCode))
            let violations = try? container?.decode([Violation].self, forKey: .fieldViolations)
            fields = (violations ?? []).compactMap(\.field)
        }
    }

    private struct Violation: Decodable {
        let field: String?
    }
}
