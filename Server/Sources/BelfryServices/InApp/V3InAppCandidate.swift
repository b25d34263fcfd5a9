import BelfryModel
import BelfryRules
import BelfryStore
import Foundation
import Synchronization

/// An active in-app campaign, as far as it decides whether a client of version 3 gets its message: without the message.
struct V3InAppCandidate: Hashable, Sendable {
    let id: CampaignID
    let type: InAppType
    let priority: Int
    let trigger: InAppTrigger?
    let viewID: String?
    let startsAt: Date?
    let endsAt: Date?
    let displayLimit: Int
    let displayEpoch: Int
    let launchedAt: Date

    init?(_ row: CampaignRow) {
        guard let draft = row.campaign.draft.inApp else { return nil }
        id = row.id
        type = draft.type
        priority = draft.effectivePriority
        trigger = draft.trigger
        viewID = draft.viewId
        startsAt = draft.startsAt
        endsAt = draft.endsAt
        displayLimit = draft.effectiveDisplayLimit
        displayEpoch = row.campaign.displayEpoch
        launchedAt = row.campaign.launchedAt ?? row.campaign.createdAt
    }

    /// The lowest priority number, then the newest campaign (IAM-6).
    static func comesFirst(_ one: V3InAppCandidate, _ other: V3InAppCandidate) -> Bool {
        (one.priority, -one.id.number) < (other.priority, -other.id.number)
    }

    func isOpen(at now: Date) -> Bool {
        (startsAt.map { $0 <= now } ?? true) && (endsAt.map { $0 > now } ?? true)
    }

    func isTriggered(by events: [TriggerEvent], on device: TriggerDevice) -> Bool {
        guard type != .inline, let trigger else { return false }
        return events.contains { trigger.matches($0, on: device) }
    }

    func isFor(viewID: String) -> Bool {
        type == .inline && self.viewID?.lowercased() == viewID.lowercased()
    }
}

/// The offers of each app, read again when the app's clock has moved: every upload of events asks for them.
final class V3InAppCandidateCache: Sendable {
    /// Apps; beyond them the memory starts anew.
    static let maximumCount = 1_000

    private struct Entry {
        let version: Int64
        let offers: [V3InAppCandidate]
    }

    private let entries = Mutex<[Int64: Entry]>([:])

    /// In the order in which they come.
    func offers(of app: Int64, _ connection: any SQLConnection) throws -> [V3InAppCandidate] {
        let version = try connection.inAppRevisions.find(app: app).version
        if let entry = entries.withLock({ $0[app] }), entry.version == version { return entry.offers }
        let offers = try connection.inAppCampaigns.active(app: app).compactMap(V3InAppCandidate.init)
            .sorted(by: V3InAppCandidate.comesFirst)
        entries.withLock { entries in
            if entries.count >= Self.maximumCount { entries = [:] }
            entries[app] = Entry(version: version, offers: offers)
        }
        return offers
    }
}
