import BelfryTestSupport
import BelfryWire
import Foundation

@testable import Belfry

/// The meaning of a response to an upload, from the response alone.
enum UploadResponse {
    case taken
    /// The batch, or an event of it.
    case contentRejected
    case unauthorized
    /// There was none, or one from a foreign server.
    case noNetwork
    /// Seconds for which the server asked for patience, if it did.
    case serverFailed(retryAfter: TimeInterval)

    private struct Batch: Decodable {
        let events: [WireEvent]
    }

    init(_ attempt: Wire.Attempt) {
        guard let answer = attempt.answer else {
            self = .noNetwork
            return
        }
        switch answer.status {
        case 200..<300: self = answer.header(HeaderNames.clientState) == nil ? .noNetwork : .taken
        case 300..<400: self = .noNetwork
        case 400, 413: self = .contentRejected
        case 401: self = .unauthorized
        default: self = .serverFailed(retryAfter: answer.header("Retry-After").flatMap { Double($0) } ?? 0)
        }
    }

    /// How many events of an upload the server took.
    static func eventsTaken(by attempt: Wire.Attempt) throws -> Int {
        guard case .taken = UploadResponse(attempt), let answer = attempt.answer else { return 0 }
        let sent = try JSONDecoder().decode(Batch.self, from: attempt.request.body ?? Data()).events.count
        guard !answer.body.isEmpty else { return sent }
        let rejected = try JSONDecoder().decode(EventBatchResponse.self, from: answer.body).rejected ?? []
        return sent - rejected.count
    }
}
