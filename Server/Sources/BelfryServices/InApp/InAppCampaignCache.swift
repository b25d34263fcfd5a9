import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryStore
import Synchronization

/// The in-app campaigns of an app that are active, as one version of its clock has them.
struct ActiveInAppCampaigns: Sendable {
    /// In the order in which they were made. What they say is of that version; how far their audiences are walked may be
    /// older.
    let rows: [CampaignRow]
    /// For clients of version 3, in the order in which they come.
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

/// What is active of the apps' in-app campaigns, read again when an app's clock has moved: devices that fetch their
/// messages, and each upload of events, ask for all of it, one by one (SEC-8).
///
/// Whatever changes what a campaign says or whether it is active moves the clock, in the same transaction and in whatever
/// process, so what is kept of a version is what any view of the store has that has this version.
final class InAppCampaignCache: Sendable {
    /// For all apps together: more than the campaigns and the tests of one may have. They are counted by what is stored;
    /// decoded it takes a few times as much.
    static let maximumBytes = 4 * InAppLimits.maximumActiveBytes

    private let memory = Mutex(AppMemory<Int64, ActiveInAppCampaigns>(maximumBytes: maximumBytes))

    /// - Parameter clock: the app's, as this view of the store has it.
    func active(app: Int64, clock: Int64, _ connection: any SQLConnection) throws -> ActiveInAppCampaigns {
        if let known = memory.withLock({ $0.find(clock, of: app) }) { return known }
        let (rows, bytes) = try connection.inAppCampaigns.activeContent(app: app)
        let active = ActiveInAppCampaigns(rows)
        memory.withLock { memory in
            // Other versions are nobody's any more, but for whoever is looking just now.
            memory.removeAll(of: app)
            memory.insert(active, for: clock, of: app, size: bytes + rows.count * 1_024)
        }
        return active
    }
}

/// What all that devices ask of in-app messages has in common.
package struct InAppCaches: Sendable {
    let campaigns = InAppCampaignCache()
    let templates = InAppTemplateCache()

    package init() {}
}
