import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Why a person did or did not get a campaign: on every device and in the message center, in one answer (LED-5).
package struct ContactExplanation: Hashable, Sendable {
    package struct Device: Hashable, Sendable {
        package let client: DeviceID
        /// Whether the device belongs to the person now.
        package let isPresent: Bool
        package let explanation: Explanation
    }

    package struct Center: Hashable, Sendable {
        package let name: String
        /// The state of the message in the center; nil if there is no message.
        package let state: MessageState?
        package let sentence: String

        /// Whether a device's sentence already says where the message is. The device's sentence may know more about how
        /// far the message came.
        fileprivate func isSaid(in text: String) -> Bool {
            let place = "in the message center '\(name)'"
            guard let end = sentence.range(of: place)?.upperBound else { return false }
            return text.contains(sentence[..<end].dropFirst())
        }
    }

    package let contactKey: String
    /// The person's devices, then the devices that got the campaign while they were the person's, each group newest
    /// first. If there are too many to list, those on which the message came furthest.
    package let devices: [Device]
    /// The number of all devices that the person has, listed or not.
    package let deviceCount: Int
    /// Whether more devices than are listed got the campaign while they were the person's.
    package let hasMoreFormer: Bool
    /// The message in the message center; nil for a campaign without message center messages.
    package let center: Center?

    /// The campaign's state for the person: that of the device on which the message came furthest.
    package var state: String { best?.state ?? Self.absent }
    package var reason: String? { best?.reason }

    package var sentence: String {
        let devices = ofDevices
        guard let center, !center.isSaid(in: devices) else { return devices }
        return "\(devices) \(center.sentence)"
    }

    /// A sentence that says how many devices are not listed; nil if all are.
    package var omission: String? {
        let more = deviceCount - devices.count(where: \.isPresent)
        let sentences = [
            more > 0 ? "\(more) more device\(more == 1 ? " is" : "s are") not listed." : nil,
            hasMoreFormer ? "Nor are all that got it while they were the contact's." : nil,
        ]
        let text = sentences.compactMap(\.self).joined(separator: " ")
        return text.isEmpty ? nil : text
    }

    private static let absent = "notInAudience"
    /// The states from the furthest (accepted) to the least far, to find the device on which the message came furthest.
    private static let order: [DeliveryState] = [.accepted, .pending, .rejected, .suppressed, .cancelled]

    private var best: Explanation? {
        let explanations = devices.map(\.explanation)
        return Self.order.lazy.compactMap { state in explanations.first { $0.state == state.rawValue } }.first
            ?? explanations.first { $0.state == Explanation.removed } ?? explanations.first
    }

    private var ofDevices: String {
        guard let first = devices.first else { return "The contact has no device." }
        if devices.count == 1 { return first.explanation.sentence }
        let sentences = devices.map(\.explanation.sentence)
        if sentences.allSatisfy({ $0 == sentences[0] }) {
            let whole = "On all \(devices.count) devices: \(sentences[0])"
            return [whole, omission].compactMap(\.self).joined(separator: " ")
        }
        let states = devices.map(\.explanation.state)
        let count = states.count { $0 == DeliveryState.accepted.rawValue }
        // Without the ledger the number of devices that accepted it is unknown.
        let sum = states.contains(Explanation.removed) ? nil : "\(count) of \(devices.count) devices accepted it."
        let lead = [sum, omission].compactMap(\.self)
        return (lead + devices.map { "\($0.client.rawValue): \($0.explanation.sentence)" }).joined(separator: " ")
    }
}

extension Explainer {
    /// The most devices of one person that are explained; a contact that many people share may have any number.
    static let maximumDevices = 50

    /// Why the contact with this key did or did not get a campaign.
    package func explain(
        _ id: CampaignID, contact key: String, app: AppRecord
    ) async throws -> ContactExplanation {
        try await explain(id, person: .key(key), app: app)
    }

    /// Why a person did or did not get a campaign.
    package func explain(
        _ id: CampaignID, person reference: PersonReference, app: AppRecord
    ) async throws -> ContactExplanation {
        let now = environment.now()
        let person = try await database.read { connection in
            let lookup = AppLookup(connection: connection, app: app.id)
            return try ExplainedPerson(
                of: lookup.campaign(id), contact: lookup.person(reference), now: now, in: connection
            )
        }
        let found = try await find(id, app: app, on: person.devices.map(\.id)) { try $0.device(number: $1) }
        // Without the devices that were erased in the meantime.
        let there = zip(person.devices, found).filter { $0.1 != nil }.map { $0.0 }
        let explanations = try await completed(found.compactMap(\.self), app: app)
        let devices = zip(there, explanations).map { device, explanation in
            ContactExplanation.Device(
                client: device.client, isPresent: device.isPresent, explanation: explanation
            )
        }
        return ContactExplanation(
            contactKey: person.key, devices: devices, deviceCount: person.deviceCount,
            hasMoreFormer: person.hasMoreFormer, center: person.center
        )
    }
}

/// A person's devices and message center message for one campaign, read in one database snapshot.
private struct ExplainedPerson: Sendable {
    let key: String
    let devices: [(id: Int64, client: DeviceID, isPresent: Bool)]
    let deviceCount: Int
    let hasMoreFormer: Bool
    let center: ContactExplanation.Center?

    init(of row: CampaignRow, contact: ContactRow, now: Date, in connection: any SQLConnection) throws {
        key = contact.key
        deviceCount = try connection.devices.count(ofContact: contact.id)
        let limit = Explainer.maximumDevices
        let present = try connection.people.devices(of: contact.id, furthestIn: row.id, limit: limit)
        // What a former device got for somebody else does not belong to this person.
        let left = try connection.people.formerDevices(
            of: contact.id, app: contact.app, furthestIn: row.id, limit: limit + 1
        )
        hasMoreFormer = left.count > limit
        devices =
            present.sorted { $0.id > $1.id }.map { ($0.id, $0.client, true) }
            + left.prefix(limit).sorted { $0.id > $1.id }.map { ($0.id, $0.client, false) }
        center = try Self.center(of: row.campaign, contact: contact, now: now, in: connection)
    }

    private static func center(
        of campaign: Campaign, contact: ContactRow, now: Date, in connection: any SQLConnection
    ) throws -> ContactExplanation.Center? {
        guard campaign.draft.kind.keepsMessage else { return nil }
        let holders = try MessageHolders(connection: connection).holders(of: contact)
        let message = try connection.placedMessages.first(of: campaign.id, among: holders)
        let name =
            message?.center ?? campaign.draft.messageCenter?.center.map(MessageCenterName.init(stored:)) ?? .primary
        let center = try connection.messageCenters.find(app: contact.app, name)
        let status = MessageCenterDeliveryStatus(
            center: name.rawValue, showing: center.map { $0.isEnabled ? .shown : .disabled } ?? .deleted,
            state: message?.state, expiresAt: message?.expiresAt, hiddenHolder: nil,
            isRecalled: message?.recalledAt != nil, engagement: nil
        )
        let clause =
            status.clause(now: now) ?? "nothing of it is in the contact's message center '\(name.rawValue)'"
        return ContactExplanation.Center(
            name: name.rawValue, state: message?.state, sentence: Explanation.sentence(clause)
        )
    }
}
