import BelfryModel
import BelfryWire
import Foundation
import NIOCore

/// Why a call of the admin API did not succeed.
enum AdminClientError: Error, CustomStringConvertible {
    /// The error code of a write whose first attempt is still in progress (ADM-3).
    private static let keyInUse = "idempotencyKeyInUse"
    /// The error code of a write whose first attempt has had no response for too long.
    private static let keyUnanswered = "idempotencyKeyUnanswered"

    case noAnswer(server: String, NoResponse, mayBeDone: Bool)
    case unknownKey(server: String, AdminKey.Source)
    /// The first attempt got no response, and the server is still busy with it.
    case underWay(server: String)
    /// The first attempt got no response, and the server does not know whether it succeeded.
    case unknownOutcome(server: String)
    case rejected(status: Int, body: ErrorBody)
    /// A long response ended early.
    case cutOff(server: String)
    /// A response that no Belfry server gives.
    case foreign(server: String, status: Int?)

    /// - Parameter body: nil when the response has no error body that can be decoded.
    init(status: Int, body: ErrorBody?, server: String, key: AdminKey) {
        switch (status, body) {
        case (401, _?): self = .unknownKey(server: server, key.source)
        case (409, let body?) where body.error.code == Self.keyInUse: self = .underWay(server: server)
        case (409, let body?) where body.error.code == Self.keyUnanswered: self = .unknownOutcome(server: server)
        case (_, let body?): self = .rejected(status: status, body: body)
        case (_, nil): self = .foreign(server: server, status: status)
        }
    }

    /// Whether this response says that the server is still busy with an earlier attempt, so that another try will soon
    /// get a different response.
    static func isUnderWay(status: Int, body: Data) -> Bool {
        status == 409 && (try? CheckedJSON.decode(ErrorBody.self, from: body))?.error.code == keyInUse
    }

    var description: String {
        switch self {
        case .noAnswer(let server, let why, let mayBeDone):
            Self.text(server, why)
                + (mayBeDone ? " The change may have been made: check before you repeat the command." : "")
        case .unknownKey(let server, let source):
            "The server \(server) did not accept the admin key (401) from \(source). "
                + "Give the right key file with --key-file, or set \(AdminKey.variable)."
        case .underWay(let server):
            "The server \(server) is still working: the first attempt got no response. Check whether the change was "
                + "made before you repeat the command."
        case .unknownOutcome(let server):
            "The first attempt got no response, and the server \(server) does not know the outcome. Check whether "
                + "the change was made before you repeat the command."
        case .rejected(let status, let body):
            (["Rejected (\(status)): \(Self.line(body.error))"] + (body.details ?? []).map { "  \(Self.line($0))" })
                .joined(separator: "\n")
        case .cutOff(let server):
            "The connection to \(server) was lost in the middle of the response, so it is not whole. Repeat the command."
        case .foreign(let server, let status):
            "The response from \(server)\(status.map { " (\($0))" } ?? "") does not come from a Belfry server of this "
                + "version. Check --server and any proxy in front of the server."
        }
    }

    private static func text(_ server: String, _ why: NoResponse) -> String {
        switch why {
        case .notConnected(let reason):
            "Cannot connect to the server \(server) (\(reason)). Is 'belfry serve' running? Is --server right?"
        case .connectedTooLate(let reason):
            "Cannot connect to the server \(server) in two attempts (\(reason)). Is 'belfry serve' running? "
                + "Is --server right?"
        case .lost(let reason): "Two attempts failed: the connection to \(server) was lost (\(reason))."
        case .tooLate:
            "Two attempts failed: the server \(server) did not respond within "
                + "\(AdminClient.timeout.nanoseconds / 1_000_000_000) seconds."
        }
    }

    private static func line(_ detail: ErrorBody.Detail) -> String {
        (detail.message + (detail.target.map { " [\($0)]" } ?? "")).printable
    }
}
