import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Finds the devices that have entered the audience of a published message since its audience was walked (IAM-15).
///
/// What it costs is bounded: only devices that have changed are looked at, only for campaigns whose audience can be
/// entered by such a change, and only where nobody has told the device yet. An audience that asks for events is asked in
/// the lane and with the budget of planning (SEC-8).
struct InAppAudienceEntries: Sendable {
    let database: any SQLDatabase
    let app: Int64
    let now: Date

    /// A campaign whose audience is to be asked for events.
    private struct OpenCheck: Sendable {
        let row: CampaignRow
        let devices: [AudienceMember]
    }

    /// - Parameter changes: the changes of each device.
    /// - Returns: the devices to notify, by campaign.
    func find(_ changes: [Int64: AudienceChanges]) async throws -> [CampaignID: [AudienceMember]] {
        let (known, open) = try await database.read { connection in try look(for: changes, connection) }
        guard !open.isEmpty else { return known }
        var found = known
        let members = try await database.ask(.planning) { asked in try evaluate(open, asked) }
        for (id, entered) in members { found[id] = entered }
        return found
    }

    private func look(
        for changes: [Int64: AudienceChanges], _ connection: any SQLConnection
    ) throws -> (found: [CampaignID: [AudienceMember]], open: [OpenCheck]) {
        var found: [CampaignID: [AudienceMember]] = [:]
        var open: [OpenCheck] = []
        let sql = try AudienceCompiler(connection: connection, app: app).sql(now: now)
        for row in try connection.inAppCampaigns.active(app: app)
        where row.campaign.draft.inApp?.hasEnded(by: now) == false {
            let entrances = AudienceEntrances(to: row.campaign.draft.audience).changes
            let changed = changes.filter { !$0.value.isDisjoint(with: entrances) && row.hasPassed($0.key) }.keys
            guard !changed.isEmpty, let audience = try? sql.compile(audienceOf: row.campaign.draft) else { continue }
            let unaware = try connection.inAppDeliveries.unaware(of: row.id, among: changed.sorted())
            guard !unaware.isEmpty else { continue }
            if let plain = PlainPredicate(audience) {
                let held = try connection.audiences.members(of: unaware.map(\.device), app: app, audience: plain)
                found[row.id] = held.filter(Set(unaware).contains)
            } else {
                open.append(OpenCheck(row: row, devices: unaware))
            }
        }
        return (found, open)
    }

    /// Evaluates the open audiences. A device whose evaluation costs too much is not notified, and gets the message
    /// with its next fetch (IAM-3).
    private func evaluate(
        _ open: [OpenCheck], _ asked: PredicateConnection
    ) throws -> [CampaignID: [AudienceMember]] {
        let sql = try AudienceCompiler(connection: asked.connection, app: app).sql(now: now)
        var rest = open.reduce(0) { $0 + $1.devices.count }
        var found: [CampaignID: [AudienceMember]] = [:]
        for check in open {
            guard let audience = try? sql.compile(audienceOf: check.row.campaign.draft) else { continue }
            for member in check.devices {
                defer { rest -= 1 }
                do {
                    let share = min(1, 4 / Double(max(rest, 1)))
                    guard try asked.holds(member.device, app: app, audience: audience, share: share) else { continue }
                } catch StoreError.tooExpensive {
                    continue
                }
                found[check.row.id, default: []].append(member)
            }
        }
        return found
    }
}

extension CampaignRow {
    /// Whether the walk over the campaign's audience has passed a device. Before that, the walk notifies the device
    /// itself.
    fileprivate func hasPassed(_ device: Int64) -> Bool { isPlanned || device <= plannedTo || device > planEnd }
}
