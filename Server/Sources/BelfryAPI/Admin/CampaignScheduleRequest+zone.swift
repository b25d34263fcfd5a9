import BelfryModel
import BelfryWire
import Foundation

extension CampaignScheduleRequest {
    /// The schedule with its moments: a date without an offset is in the app's time zone (ADM-2).
    func resolved(inZoneNamed name: String) throws(APIError) -> CampaignSchedule {
        let zone = TimeZone(identifier: name) ?? .gmt
        let dates = [("schedule.at", at), ("schedule.expiresAt", expiresAt)]
        let faults = dates.compactMap { field, text -> ErrorBody.Detail? in
            guard let text, Timestamp.date(text, in: zone) == nil else { return nil }
            return ErrorBody.Detail(
                code: ErrorCode.invalidBody,
                message: "\(field): expected a date such as 2026-12-01T09:00:00Z, or 2026-12-01T09:00:00 in \(name)",
                target: field
            )
        }
        if let first = faults.first {
            throw APIError(
                .badRequest, first.code, first.message, target: first.target,
                details: faults.count > 1 ? Array(faults.dropFirst()) : nil
            )
        }
        return CampaignSchedule(
            at: at.flatMap { Timestamp.date($0, in: zone) }, localAt: localAt, quietHours: quietHours,
            frequencyCap: frequencyCap, expiresAt: expiresAt.flatMap { Timestamp.date($0, in: zone) },
            ratePerSecond: ratePerSecond
        )
    }
}
