import BelfryModel
import BelfryWire
import Foundation

/// Reads the dates of a request: one without an offset is in the app's time zone (ADM-2). Of those that cannot be read
/// every one is named (ADM-3).
struct ZonedDates {
    private let zoneName: String
    private let zone: TimeZone
    private var faults: [ErrorBody.Detail] = []

    init(zoneNamed name: String) {
        zoneName = name
        zone = ZoneName(name)?.timeZone ?? .gmt
    }

    mutating func date(_ text: String?, _ field: String) -> Date? {
        guard let text else { return nil }
        if let date = Timestamp.date(text, in: zone) { return date }
        faults.append(
            ErrorBody.Detail(
                code: ErrorCode.invalidBody,
                message:
                    "\(field): expected a date such as 2026-12-01T09:00:00Z, or 2026-12-01T09:00:00 in \(zoneName)",
                target: field
            )
        )
        return nil
    }

    /// Refuses what could not be read so far.
    func check() throws(APIError) {
        guard let first = faults.first else { return }
        throw APIError(
            .badRequest, first.code, first.message, target: first.target,
            details: faults.count > 1 ? Array(faults.dropFirst()) : nil
        )
    }
}
