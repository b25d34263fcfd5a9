import BelfryModel
import BelfryWire
import Foundation

@testable import Belfry

/// How its responses are written.
extension FakeServer {
    /// From now on it says that it has processed that revision, and rejected these attributes.
    func set(processed revision: Int64, rejecting names: [String]) {
        let rejected = names.map {
            RejectedField(field: "attributes.\($0)", reason: "undefinedAttribute", message: "The test has no '\($0)'.")
        }
        result = RegistrationResult(revision: revision, rejected: rejected)
    }

    static func json(_ status: Int, _ body: some Encodable) -> TransportResponse {
        TransportResponse(status: status, body: (try? JSONEncoder().encode(body)) ?? Data())
    }

    static func error(_ status: Int, _ code: String, headers: [String: String] = [:]) -> TransportResponse {
        let body = ErrorBody(error: ErrorBody.Detail(code: code, message: "The test says no."))
        return TransportResponse(
            status: status, headers: headers, body: (try? JSONEncoder().encode(body)) ?? Data()
        )
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// 1 January 1970 was a Thursday.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    static func httpDate(_ date: Date) -> String {
        // 2026-11-21T12:00:00.000Z; a formatter would cost more than the rest of a response.
        let text = Timestamp.text(date)
        let day = text.prefix(10).split(separator: "-")
        let month = months[(Int(day[1]) ?? 1) - 1]
        let weekday = weekdays[Int(date.timeIntervalSince1970 / 86_400) % 7]
        return "\(weekday), \(day[2]) \(month) \(day[0]) \(text.dropFirst(11).prefix(8)) GMT"
    }
}
