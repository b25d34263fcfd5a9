import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryRules
import BelfryServerModel
import BelfryStore
import Foundation

/// A query for the in-app messages that a device should have at one moment (WIRE-9, IAM-1).
struct InAppSyncQuery: Sendable {
    /// The most messages that are checked for removal when the device does not send which ones it has.
    static let maximumKnown = 500
    /// The most bytes of messages in one response, counted by their texts. The rest follows with the next sync.
    static let maximumBytes = 4 * 1_048_576

    let client: DeviceID
    /// The device's cursor, which lists the messages that it has. Nil when it sends none that is readable.
    let cursor: InAppCursor?
    let now: Date
    let keys: ServerKeys
    let caches: InAppCaches

    /// The result for the device. It changes nothing.
    ///
    /// - Parameter results: the results for audiences that depend on events.
    func found(
        _ connection: any SQLConnection, _ link: DeviceLink, _ results: AudienceResults
    ) throws -> InAppSyncResult {
        let contact = try link.owner
        let mark = keys.inAppMark(device: link.id, contact: contact)
        guard let stamp = try connection.inAppSyncVersions.find(device: link.id) else {
            throw StoreError.corrupted(table: "devices", key: String(link.id))
        }
        // A cursor of another contact does not list this contact's messages.
        let held = cursor.flatMap { $0.mark == mark ? $0.held : nil }
        let known = try held.map { Set($0.keys) } ?? knownCampaigns(of: link.id, contact: contact, connection)
        let active = try caches.campaigns.active(app: link.app, clock: stamp.clock, connection)
        var audience = InAppAudience(of: link.app, now: now, in: connection)
        let candidates = try audience.candidates(
            among: active, for: link.id, contact: contact, clock: stamp.clock, results
        )
        let wanted = candidates.held
        let copies = try connection.inAppDeviceStates.copies(
            device: link.id, contact: contact, campaigns: known.union(wanted.map(\.id)).sorted()
        )
        let offer = try offer(of: wanted, held: held ?? [:], copies, connection, link)
        let campaignStates = try campaignStates(
            of: known, offer, copies, candidates.unknown.union(offer.later), connection, link)
        let selection = InAppSelection(
            held: held ?? [:], known: known, offered: offer.versions, state: { campaignStates[$0] ?? .recalled }
        )
        let ledger = InAppLedger(connection: connection, device: link.id)
        var cursor = InAppCursor(mark: mark, stamp: stamp, held: selection.held, now: now)
        if !offer.later.isEmpty { cursor.expire() }
        return InAppSyncResult(
            sync: InAppSync(
                cursor: cursor.text,
                messages: offer.messages,
                recalled: selection.recalled.map { MessageID.make(campaign: $0, device: client) },
                registration: try connection.registrations.result(for: link),
                hasLostToken: stamp.hasLostToken
            ),
            withdrawn: selection.recalled.filter { id in copies[id].map { $0.recalledAt == nil } ?? false },
            errors: try offer.errors.filter { try !ledger.says($0.value, of: $0.key) },
            open: candidates.open, stamp: stamp
        )
    }

    private func knownCampaigns(
        of device: Int64, contact: Int64, _ connection: any SQLConnection
    ) throws -> Set<CampaignID> {
        Set(try connection.inAppDeviceStates.campaigns(of: device, contact: contact, limit: Self.maximumKnown))
    }

    /// The messages that the device should have.
    private struct Offer {
        var versions: [CampaignID: Int] = [:]
        /// Messages that the device does not have yet.
        var messages: [OutgoingInAppMessage] = []
        /// Messages that do not fit into this response.
        var later: Set<CampaignID> = []
        /// Why messages cannot be rendered for the device's contact.
        var errors: [CampaignID: String] = [:]
        /// The bytes of the messages.
        var bytes = 0
    }

    private func offer(
        of wanted: [CampaignRow], held: [CampaignID: Int], _ copies: [CampaignID: InAppDeviceStateRow],
        _ connection: any SQLConnection, _ link: DeviceLink
    ) throws -> Offer {
        var offer = Offer()
        var rendering = InAppRendering(of: link.app, by: caches.templates, in: connection)
        for row in wanted {
            if held[row.id] != row.campaign.inAppVersion {
                guard offer.bytes < Self.maximumBytes else {
                    offer.later.insert(row.id)
                    continue
                }
                do {
                    guard let draft = try rendering.draft(of: row, device: link.id) else { continue }
                    offer.bytes += draft.content.textBytes
                    offer.messages.append(message(row.campaign, draft, copies[row.id]))
                } catch let error as RenderError {
                    offer.errors[row.id] = "\(error.field): \(error.sentence)"
                    continue
                }
            }
            offer.versions[row.id] = row.campaign.inAppVersion
        }
        return offer
    }

    private func message(_ campaign: Campaign, _ draft: InAppDraft, _ copy: InAppDeviceStateRow?)
        -> OutgoingInAppMessage
    {
        OutgoingInAppMessage(
            id: MessageID.make(campaign: campaign.id, device: client), campaign: campaign.id,
            version: campaign.inAppVersion, displayEpoch: campaign.displayEpoch,
            displayCount: copy?.shown(inEpoch: campaign.displayEpoch) ?? 0, draft: draft
        )
    }

    private func campaignStates(
        of known: Set<CampaignID>, _ offer: Offer, _ copies: [CampaignID: InAppDeviceStateRow],
        _ unknown: Set<CampaignID>, _ connection: any SQLConnection, _ link: DeviceLink
    ) throws -> [CampaignID: InAppSelection.CampaignState] {
        let others = known.subtracting(offer.versions.keys).sorted()
        var campaignStates: [CampaignID: InAppSelection.CampaignState] = [:]
        for campaign in try connection.inAppCampaigns.states(of: others, app: link.app) {
            let wasShown = (copies[campaign.id]?.shown ?? 0) > 0
            guard !unknown.contains(campaign.id) else {
                campaignStates[campaign.id] = .kept
                continue
            }
            campaignStates[campaign.id] =
                offer.errors[campaign.id] == nil
                ? InAppSelection.CampaignState(of: campaign, wasShown: wasShown, now: now) : .replaced
        }
        return campaignStates
    }
}

extension InAppContent {
    /// The bytes of the message's texts.
    fileprivate var textBytes: Int {
        let texts = [title, body, imageUrl, imageAlt, html] + (buttons ?? []).map(\.text)
        return texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

/// The result of the query.
struct InAppSyncResult: AudienceDependentResult {
    let sync: InAppSync
    /// Messages that the device removes and that are not yet marked as removed in the store.
    let withdrawn: [CampaignID]
    /// Messages that cannot be rendered for the device's contact, and why. Errors that the ledger already has are left
    /// out.
    let errors: [CampaignID: String]
    let open: Set<CampaignID>
    /// The version of the data that was read. While it stays the same, so does the result.
    let stamp: InAppSyncVersion

    /// Whether something must be written before the response.
    var isWritten: Bool { !sync.messages.isEmpty || !withdrawn.isEmpty || !errors.isEmpty }

    /// Campaigns whose delivery to the device ends now, unless it has ended before.
    var ending: [CampaignID] { sync.messages.map(\.campaign) + errors.keys }
}

extension InAppSelection.CampaignState {
    /// - Parameters:
    ///   - campaign: a campaign that does not offer the device a message now.
    ///   - wasShown: whether the contact has seen the message on this device.
    init(of campaign: InAppCampaignState, wasShown: Bool, now: Date) {
        guard campaign.recalledAt == nil else {
            self = .recalled
            return
        }
        if let end = campaign.endsAt, end <= now {
            self = .ended
            return
        }
        self =
            switch campaign.status {
            case .active: .excluded(wasShown: wasShown)
            case .paused, .cancelled: .kept
            case .completed: .ended
            // The campaign was never launched, so no device has its message.
            case .draft, .scheduled, .sending: .recalled
            }
    }
}
