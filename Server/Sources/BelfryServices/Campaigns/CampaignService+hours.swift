import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// What happened to a campaign in an hour.
package struct CampaignHour: Hashable, Sendable {
    package let begins: Date
    package let accepted: Int
    package let displayed: Int
    package let opened: Int
}

/// The hours of a campaign from its launch to the last in which anything happened.
package struct CampaignHours: Hashable, Sendable {
    /// Hours in a row, each of them, so many at most; what came later is left out.
    package static let maximum = 168

    package let hours: [CampaignHour]
    /// Hours with figures that are left out.
    package let left: Int
    /// When the ledger was summed up.
    package let at: Date
}

extension CampaignService {
    /// Rows of a ledger that is summed up when somebody asks; a larger one was summed up before (ADM-7).
    private static let fewRows = 5_000

    /// Whether a campaign's ledger is summed up in a moment.
    static func hasFewRows(_ id: CampaignID, in connection: any SQLConnection) throws -> Bool {
        let last = try connection.statistics.lastDevice(of: id.number, after: 0, limit: fewRows)
        guard let last else { return true }
        return try connection.statistics.lastDevice(of: id.number, after: last, limit: 1) == nil
    }

    /// Sends, displays and opens by the hour (CON-7); nil before a launch, and until a large ledger is summed up.
    package func hours(_ id: CampaignID, app: AppRecord) async throws -> CampaignHours? {
        let now = environment.now()
        return try await database.read { connection in
            let campaign = try AppLookup(connection: connection, app: app.id).campaign(id).campaign
            guard let launched = campaign.launchedAt else { return nil }
            let statistics = connection.statistics
            if try Self.hasFewRows(id, in: connection) {
                let sums = try statistics.sums(of: id.number, devices: 0...Int64.max)
                return CampaignHours(sums, from: launched, at: now)
            }
            guard let summed = try statistics.quarters(of: id) else { return nil }
            let quarters = summed.sums.reduce(into: [Int64: LedgerSums]()) { $0[$1.quarter] = $1.sums }
            return CampaignHours(quarters, from: launched, at: summed.at)
        }
    }
}

extension CampaignHours {
    private static let length: Int64 = 3_600_000

    init(_ quarters: [Int64: LedgerSums], from launch: Date, at date: Date) {
        let first = launch.milliseconds / Self.length
        let sums = quarters.reduce(into: [Int64: LedgerSums]()) { hours, entry in
            // What a device's clock says may lie before the launch.
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
