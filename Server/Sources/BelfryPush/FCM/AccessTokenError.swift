import BelfryModel
import BelfryServerModel
import Foundation

/// The reason why there is no access token.
package enum AccessTokenError: Error, Hashable, Sendable {
    /// The account or its key is wrong, or this server's clock is; the reason is the service's own word
    /// (`invalid_grant` …).
    case rejected(reason: String)
    /// The service has trouble, or somebody else answered in its place; it may be asked again.
    case unavailable(reason: String)

    /// - Parameter status: any status except 200.
    init(status: Int, body: [UInt8]) {
        let word = Self.word(in: body)
        let reason = word ?? "status\(status)"
        switch (status, word) {
        // By RFC 6749 §5.2 these errors come with 400 or 401. The service's own problems also have error words.
        case (_, "internal_failure"), (_, "server_error"), (_, "temporarily_unavailable"), (408, _), (425, _), (429, _):
            self = .unavailable(reason: reason)
        case (400...499, _): self = .rejected(reason: reason)
        default: self = .unavailable(reason: reason)
        }
    }

    /// The same outcome as if the push service had responded like this to a push.
    package var outcome: PushOutcome {
        switch self {
        case .rejected(let reason): .credentialError(reason: reason)
        case .unavailable(let reason): .notSent(reason: reason)
        }
    }

    private static func word(in body: [UInt8]) -> String? {
        guard let response = try? CheckedJSON.decode(ResponseBody.self, from: body) else { return nil }
        return ReasonWord.checked(response.error)
    }

    private struct ResponseBody: Decodable {
        let error: String
    }
}
