import BelfryModel
import BelfryWire
import Foundation

/// What a step of the device's life does to the in-app messages that it holds.
enum InAppChange: Sendable {
    /// All of them go: they are another's (IAM-11).
    case purge
    /// New ones, and new versions in the place of the former ones (IAM-4).
    case keep([StoredInAppMessage])
    /// They were recalled, have ended, or were shown as often as they may be.
    case remove([String])
}

/// An in-app message as the device keeps it.
struct StoredInAppMessage: Hashable, Sendable {
    let body: InAppMessageBody
    let startsAt: Date?
    let endsAt: Date?

    var id: String { body.id }
}

extension StoredInAppMessage {
    /// - Returns: nil for a message that no Belfry server writes: without an id, or with dates that are none.
    init?(_ body: InAppMessageBody) {
        guard !body.id.isEmpty, body.id.utf8.count <= Self.maximumIDBytes, !body.campaignId.isEmpty,
            body.campaignId.utf8.count <= Self.maximumIDBytes
        else { return nil }
        var dates: [Date?] = []
        for text in [body.startsAt, body.endsAt] {
            let date = text.flatMap { Timestamp.date($0) }
            guard (date == nil) == (text == nil) else { return nil }
            dates.append(date)
        }
        self.init(body: body, startsAt: dates[0], endsAt: dates[1])
    }

    /// Bytes of an id that is taken.
    static let maximumIDBytes = 128
    /// Messages that a device keeps; of more the first by priority and age stay. No Belfry server has as many at a time.
    static let maximumKept = 2 * InAppLimits.maximumActive
}
