import BelfryModel
import BelfryStore
import Foundation

/// The next devices of a campaign's audience, found before the transaction that writes them to the ledger. The
/// transaction accepts them only if the campaign has not changed since, and evaluates no audience itself (SEC-8).
struct AudienceScan: Sendable {
    enum Finding: Sendable {
        case slice(AudienceSlice)
        /// The audience can no longer be compiled.
        case rejected(ValueError)
        /// The campaign, or data that it needs, cannot be read.
        case unreadable
    }

    /// The values of a campaign on which the result depends.
    private struct ScannedState: Hashable, Sendable {
        let plannedTo: Int64
        let planEnd: Int64
        let launchedAt: Date?
        /// The audience as stored bytes: texts that differ only in their encoding select different devices, but are
        /// equal in Swift (SEC-7).
        let audience: [UInt8]

        init(_ row: CampaignRow) throws {
            plannedTo = row.plannedTo
            planEnd = row.planEnd
            launchedAt = row.campaign.launchedAt
            audience = Array(try JSONText.encode(row.campaign.draft.audience).utf8)
        }
    }

    let finding: Finding
    private let state: ScannedState?

    /// - Parameters:
    ///   - moment: the time that `within` and `-P30D` count from.
    ///   - scanSize: the maximum number of devices that are scanned.
    ///   - limit: the maximum number of devices in the result.
    static func take(
        of id: Int64, at moment: (CampaignRow) -> Date, scanSize: Int64, limit: Int, _ asked: PredicateConnection
    ) throws -> AudienceScan {
        var state: ScannedState?
        do {
            guard let row = try CampaignID(id).flatMap(asked.connection.campaigns.find) else {
                throw StoreError.corrupted(table: "campaigns", key: String(id))
            }
            state = try ScannedState(row)
            let end = min(row.planEnd, row.plannedTo + scanSize)
            guard row.plannedTo < end else {
                let slice = AudienceSlice(members: [], reached: row.planEnd)
                return AudienceScan(finding: .slice(slice), state: state)
            }
            let compiler = AudienceCompiler(connection: asked.connection, app: row.app)
            let audience = try compiler.predicate(of: row.campaign.draft, now: moment(row))
            let slice = try asked.slice(
                app: row.app, audience: audience, devices: (row.plannedTo + 1)...end, limit: limit
            )
            return AudienceScan(finding: .slice(slice), state: state)
        } catch let error as ValueError {
            return AudienceScan(finding: .rejected(error), state: state)
        } catch let error where error.meansUnreadable {
            return AudienceScan(finding: .unreadable, state: state)
        }
    }

    /// Whether the campaign has not changed since the scan.
    func stands(_ row: CampaignRow) throws -> Bool { try state == ScannedState(row) }
}

extension AudienceSlice {
    /// The part of the slice that is still valid. If a device has got another contact since, the slice ends before it,
    /// and the next scan repeats that device and all devices after it.
    ///
    /// - Parameter isLast: whether such a device is skipped instead, because it changed its contact during each scan.
    func unmoved(app: Int64, isLast: Bool, in connection: any SQLConnection) throws -> AudienceSlice {
        guard let moved = try connection.deliveries.firstMoved(of: members, app: app) else { return self }
        return AudienceSlice(members: members.filter { $0.device < moved }, reached: isLast ? moved : moved - 1)
    }
}
