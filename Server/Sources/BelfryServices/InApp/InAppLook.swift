import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Foundation

/// One look at what a device is to have of in-app messages, of one moment (WIRE-9, IAM-1).
struct InAppLook: Sendable {
    /// Copies that are looked through for those to take back, when the device does not say what it has.
    static let maximumKnown = 500

    let client: DeviceID
    /// What the device says that it has; nil when it says nothing that can be read.
    let cursor: InAppCursor?
    let now: Date
    let keys: ServerKeys
    let templates: InAppTemplateCache

    /// Finds out what the device is told, and changes nothing.
    func found(_ connection: any SQLConnection, _ link: DeviceLink) throws -> InAppFinding {
        let contact = try link.owner
        let mark = keys.inAppMark(device: link.id, contact: contact)
        guard let stamp = try connection.devices.inAppStamp(id: link.id) else {
            throw StoreError.corrupted(table: "devices", key: String(link.id))
        }
        // Another contact's cursor says nothing of what this one has.
        let held = cursor.flatMap { $0.mark == mark ? $0.held : nil }
        let known = try held.map { Set($0.keys) } ?? connection.knownCampaigns(of: link.id, contact: contact)
        let wanted = try connection.inAppCampaigns(holding: link.id, app: link.app, now: now)
        let copies = try connection.inAppCopies.copies(
            device: link.id, contact: contact, campaigns: known.union(wanted.map(\.id)).sorted()
        )
        let offer = try offer(of: wanted, held: held ?? [:], copies, connection, link)
        let standings = try standings(of: known, offer, copies, connection, link)
        let selection = InAppSelection(
            held: held ?? [:], known: known, offered: offer.versions, standing: { standings[$0] ?? .recalled }
        )
        return InAppFinding(
            sync: InAppSync(
                cursor: InAppCursor(mark: mark, stamp: stamp, held: selection.held, now: now).text,
                messages: offer.messages,
                recalled: selection.recalled.map { MessageID.make(campaign: $0, device: client) }
            ),
            withdrawn: selection.recalled.filter { id in copies[id].map { $0.recalledAt == nil } ?? false },
            faults: try offer.faults.filter { try !connection.ledger(of: link.id, says: $0.value, of: $0.key) }
        )
    }

    /// What the device is to have.
    private struct Offer {
        var versions: [CampaignID: Int] = [:]
        /// Those that it has not.
        var messages: [InAppMessage] = []
        /// Why a message cannot be made for the device's contact.
        var faults: [CampaignID: String] = [:]
    }

    private func offer(
        of wanted: [CampaignRow], held: [CampaignID: Int], _ copies: [CampaignID: InAppCopyRow],
        _ connection: any SQLConnection, _ link: DeviceLink
    ) throws -> Offer {
        var offer = Offer()
        for row in wanted {
            if held[row.id] != row.campaign.inAppVersion {
                do {
                    guard let draft = try connection.inAppDraft(of: row, device: link.id, templates) else { continue }
                    offer.messages.append(message(row.campaign, draft, copies[row.id]))
                } catch let fault as RenderFault {
                    offer.faults[row.id] = "\(fault.field): \(fault.sentence)"
                    continue
                }
            }
            offer.versions[row.id] = row.campaign.inAppVersion
        }
        return offer
    }

    private func message(_ campaign: Campaign, _ draft: InAppDraft, _ copy: InAppCopyRow?) -> InAppMessage {
        InAppMessage(
            id: MessageID.make(campaign: campaign.id, device: client), campaign: campaign.id,
            version: campaign.inAppVersion, displayEpoch: campaign.displayEpoch,
            displayCount: copy?.shown(inEpoch: campaign.displayEpoch) ?? 0, draft: draft
        )
    }

    private func standings(
        of known: Set<CampaignID>, _ offer: Offer, _ copies: [CampaignID: InAppCopyRow],
        _ connection: any SQLConnection, _ link: DeviceLink
    ) throws -> [CampaignID: InAppSelection.Standing] {
        let others = known.subtracting(offer.versions.keys).sorted()
        var standings: [CampaignID: InAppSelection.Standing] = [:]
        for row in try connection.inAppCampaigns.find(others) where row.app == link.app {
            let wasShown = (copies[row.id]?.shown ?? 0) > 0
            standings[row.id] =
                offer.faults[row.id] == nil
                ? InAppSelection.Standing(of: row.campaign, wasShown: wasShown, now: now) : .replaced
        }
        return standings
    }
}

/// What a look has found.
struct InAppFinding: Sendable {
    let sync: InAppSync
    /// Those taken from the device that the store does not know as taken yet.
    let withdrawn: [CampaignID]
    /// Those that cannot be made for the device's contact, and why, as far as the ledger does not say so already.
    let faults: [CampaignID: String]

    /// Whether there is something to write before the device is told.
    var isWritten: Bool { !sync.messages.isEmpty || !withdrawn.isEmpty || !faults.isEmpty }
}

extension InAppSelection.Standing {
    /// - Parameters:
    ///   - campaign: one that does not offer the device a message now.
    ///   - wasShown: whether the contact has seen the copy on this device.
    init(of campaign: Campaign, wasShown: Bool, now: Date) {
        guard campaign.recalledAt == nil, let draft = campaign.draft.inApp else {
            self = .recalled
            return
        }
        guard !draft.hasEnded(by: now) else {
            self = .over
            return
        }
        self =
            switch campaign.status {
            case .active: .left(wasShown: wasShown)
            case .paused, .cancelled: .still
            case .completed: .over
            // It was never launched, so nobody has it.
            case .draft, .scheduled, .sending: .recalled
            }
    }
}

extension SQLConnection {
    fileprivate func knownCampaigns(of device: Int64, contact: Int64) throws -> Set<CampaignID> {
        Set(try inAppCopies.campaigns(of: device, contact: contact, limit: InAppLook.maximumKnown))
    }

    /// Whether there is nothing to add to the ledger about a message that cannot be made.
    func ledger(of device: Int64, says note: String, of campaign: CampaignID) throws -> Bool {
        guard let row = try deliveries.find(campaign: campaign, device: device) else { return false }
        return switch row.state {
        case .pending: false
        case .suppressed: row.note == note
        case .accepted, .rejected, .cancelled: true
        }
    }
}
