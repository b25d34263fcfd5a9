import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryStore
import Synchronization

/// An app's active in-app campaigns, at one version of its clock.
struct ActiveInAppCampaigns: Sendable {
    /// The rows, in the order of their creation. The content is of that version; the progress of the walks over the
    /// audiences may be older.
    let rows: [CampaignRow]
    /// The offers for clients of version 3, in the order of display.
    let offers: [V3InAppCandidate]

    init(_ rows: [CampaignRow]) {
        self.rows = rows
        offers = rows.compactMap(V3InAppCandidate.init).sorted { InAppCandidate.comesFirst($0.message, $1.message) }
    }

    func row(of id: CampaignID) -> CampaignRow? { rows.first { $0.id == id } }

    func rows(of ids: [CampaignID]) -> [CampaignRow] {
        let ids = Set(ids)
        return rows.filter { ids.contains($0.id) }
    }
}

/// Caches the active in-app campaigns of apps, and reads them again when an app's clock has advanced. Devices that
/// fetch their messages, and each upload of events, all need them (SEC-8).
///
/// Each change of a campaign's content, or of whether it is active, advances the clock in the same transaction, in any
/// process. So the cached campaigns of a version equal those of every view of the store with that version.
final class InAppCampaignCache: Sendable {
    /// The cache's limit for all apps together, in bytes: more than one app's campaigns and tests may have. The stored
    /// size counts; decoded it takes a few times as much.
    static let maximumBytes = 4 * InAppLimits.maximumActiveBytes

    private let memory = Mutex(AppMemory<Int64, ActiveInAppCampaigns>(maximumBytes: maximumBytes))

    /// - Parameter clock: the app's clock in this view of the store.
    func active(app: Int64, clock: Int64, _ connection: any SQLConnection) throws -> ActiveInAppCampaigns {
        if let known = memory.withLock({ $0.find(clock, of: app) }) { return known }
        let (rows, bytes) = try connection.inAppCampaigns.activeContent(app: app)
        let active = ActiveInAppCampaigns(rows)
        memory.withLock { memory in
            // Other versions are not needed any more, except by reads in progress.
            memory.removeAll(of: app)
            memory.insert(active, for: clock, of: app, size: bytes + rows.count * 1_024)
        }
        return active
    }
}

/// The caches that all queries for in-app messages share.
package struct InAppCaches: Sendable {
    let campaigns = InAppCampaignCache()
    let templates = InAppTemplateCache()

    package init() {}
}
