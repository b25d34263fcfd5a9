import BelfryWire
import Foundation

@testable import Belfry

/// Random results of requests.
struct Weather: Sendable {
    let chance: Chance

    /// - Parameter trouble: 0 to 1.
    func outcome(of attempt: Wire.Attempt, trouble: Double) -> Wire.Outcome {
        guard chance.unit() < trouble else { return .delivered }
        switch chance.unit() {
        case ..<0.25: return .lost
        case ..<0.45: return .answerLost
        case ..<0.6: return .answered(FakeServer.error(503, "busy"))
        case ..<0.68: return .answered(FakeServer.error(500, "internal", headers: ["Retry-After": "90"]))
        case ..<0.76: return .answered(FakeServer.error(429, ErrorCode.tooManyRequests, headers: ["Retry-After": "45"]))
        case ..<0.82: return .answered(FakeServer.error(408, "timeout"))
        case ..<0.9: return .answered(TransportResponse(status: 200, body: Data("<html>Sign in</html>".utf8)))
        default:
            let isUpload = attempt.name == "POST /client/events"
            return isUpload ? .answered(FakeServer.error(404, ErrorCode.notFound)) : .lost
        }
    }
}
