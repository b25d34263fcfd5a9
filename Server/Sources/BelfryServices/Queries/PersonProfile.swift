import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// A tag of a person, with the devices that set it.
package struct PersonTag: Hashable, Sendable {
    package let tag: String
    package let clients: [DeviceID]
}

/// The present data of a person; the timeline has what happened before (CON-9).
package struct PersonProfile: Sendable {
    /// The in-app message state that the layers above use.
    package typealias InAppState = InAppDeviceStateRow

    package struct InAppMessage: Sendable {
        package let client: DeviceID?
        package let state: InAppState
        package let campaign: CampaignSummary?
    }

    package let contact: ContactProfile.Contact
    /// The contact's former keys that the app assigned, cut to the first ones.
    package let aliases: [String]
    /// The contact's tags, cut to the first ones.
    package let tags: [PersonTag]
    package let hasMoreTags: Bool
    /// The sources of the attribute values, by attribute name.
    package let sources: [String: AttributeSource]
    /// The person's newest devices, newest first.
    package let devices: [DeviceProfile]
    /// The number of all devices of the person, listed or not.
    package let deviceCount: Int
    /// Devices that were the person's and no longer are.
    package let formerDevices: [DeviceID]
    /// The person's message center messages, the newest campaign first.
    package let messages: [PlacedMessage]
    package let inAppMessages: [InAppMessage]
    /// The summaries of the campaigns that the messages belong to.
    package let campaigns: [CampaignID: CampaignSummary]
}

extension PersonProfile {
    /// The most devices, messages and in-app messages that a profile shows.
    static let maximumDevices = 25
    static let maximumMessages = 25

    init(of contact: ContactRow, lookup: AppLookup) throws {
        let connection = lookup.connection
        let devices = try connection.devices.page(ofContact: contact.id, limit: Self.maximumDevices).devices
        let services = Set(try connection.credentials.all(app: contact.app).keys)
        let clients = Dictionary(devices.map { ($0.id, $0.client) }) { first, _ in first }
        let placed = try connection.placedMessages.ofHolders(
            MessageHolders(connection: connection).holders(of: contact), before: nil, limit: Self.maximumMessages
        )
        let inApp = try devices.flatMap { device in
            try connection.people.inAppMessages(
                of: device.id, person: contact.id, after: (campaign: 0, contact: 0),
                limit: Self.maximumMessages
            )
        }.sorted { $0.campaign > $1.campaign }.prefix(Self.maximumMessages)
        let campaigns = try connection.people.campaigns(placed.map(\.campaign) + inApp.map(\.campaign))
        self.contact = contact
        self.campaigns = campaigns
        aliases = try connection.formerKeys.aliases(of: contact.id, limit: ContactProfile.maximumDevices)
        let found = try connection.contactTags.list(of: contact.id, limit: ContactProfile.maximumTags + 1)
        hasMoreTags = found.count > ContactProfile.maximumTags
        let names = Array(found.prefix(ContactProfile.maximumTags))
        let taggers = try connection.contactTags.taggers(of: names, on: contact.id, among: devices.map(\.id))
        tags = names.map { name in
            PersonTag(tag: name, clients: (taggers[Array(name.utf8)] ?? []).compactMap { clients[$0] })
        }
        sources = try AttributeSource.all(
            of: contact, devices.map { AttributeSayer($0, of: contact) }, in: connection
        )
        self.devices = try devices.map {
            try DeviceProfile($0, of: contact, services: services, lookup: lookup)
        }
        deviceCount = try connection.devices.count(ofContact: contact.id)
        formerDevices = try connection.people.formerDevices(
            of: contact.id, app: contact.app, after: 0, limit: Self.maximumDevices
        ).map(\.client)
        messages = placed.map(PlacedMessage.init)
        inAppMessages = inApp.map {
            InAppMessage(client: clients[$0.device], state: $0, campaign: campaigns[$0.campaign])
        }
    }
}
