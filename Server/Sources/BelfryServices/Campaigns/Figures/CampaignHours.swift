import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The events of a campaign in one hour.
package struct CampaignHour: Hashable, Sendable {
    package let begins: Date
    package let accepted: Int
    package let displayed: Int
    package let opened: Int
}

/// The hours of a campaign from its launch to the last hour with events.
package struct CampaignHours: Hashable, Sendable {
    /// The most hours that are shown, in a row; later ones are left out.
    package static let maximum = 168

    package let hours: [CampaignHour]
    /// The number of hours with events that are left out.
    package let left: Int
    /// When the ledger was summed up.
    package let at: Date
}

extension CampaignHours {
    private static let length: Int64 = 3_600_000

    init(_ quarters: [Int64: LedgerSums], from launch: Date, at date: Date) {
        let first = launch.milliseconds / Self.length
        let sums = quarters.reduce(into: [Int64: LedgerSums]()) { hours, entry in
            // A device's clock may report a time before the launch.
            let hour = max(first, entry.key * QuarterSums.length / Self.length)
            hours[hour] = (hours[hour] ?? LedgerSums()) + entry.value
        }
        let end = min(sums.keys.max() ?? first, first + Int64(Self.maximum) - 1)
        hours = (first...end).map { hour in
            let sums = sums[hour] ?? LedgerSums()
            return CampaignHour(
                begins: Date(milliseconds: hour * Self.length), accepted: sums.accepted, displayed: sums.displayed,
                opened: sums.opened
            )
        }
        left = sums.keys.count { $0 > end }
        at = date
    }
}
