import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Whose in-app messages are whose when people log in, and what is left of those who are erased.
struct InAppPeopleTests {
    private static let message: CampaignDraft = {
        let content = InAppContent(title: "Sale")
        let draft = InAppDraft(type: .modal, trigger: InAppTrigger(event: "session:start"), content: content)
        return CampaignDraft(name: "Sale", kind: .inApp, audience: .everyone, inApp: draft)
    }()

    /// A campaign, whose message a device has downloaded and shown to its person, who has pressed a button.
    private static func show(_ device: ServiceDevice, _ campaign: CampaignID) async throws {
        let (app, client, now) = (device.world.app.id, device.client, device.world.clock.now)
        try await device.world.database.write { connection in
            guard let row = try connection.devices.find(app: app, client: client), let contact = row.contact else {
                return
            }
            let place = InAppDeviceStateKey(campaign: campaign, device: row.id, contact: contact)
            try connection.inAppDeviceStates.save([
                InAppDownload(campaign: campaign, device: row.id, contact: contact, version: 1, epoch: 0, at: now)
            ])
            for engagement in [.display, .click(button: "yes"), .notShown(reason: "r", sentence: "s")]
                as [InAppEngagement]
            {
                try connection.inAppDeviceStates.count(engagement, at: place, version: 1, epoch: 0, when: now)
            }
        }
    }

    private static func copies(_ device: ServiceDevice, _ campaign: CampaignID) async throws -> [InAppDeviceStateRow] {
        let (app, client) = (device.world.app.id, device.client)
        return try await device.world.database.read { connection in
            guard let row = try connection.devices.find(app: app, client: client) else { return [] }
            return try connection.inAppDeviceStates.find(campaign: campaign, device: row.id)
        }
    }

    private static func campaign(_ world: ServiceWorld) async throws -> CampaignID {
        let (app, now) = (world.app.id, world.clock.now)
        return try await world.database.write { try $0.campaigns.insert(Self.message, app: app, now: now) }
    }

    @Test("ID-8, IAM-11: displays before a login count for that person afterwards, and for nobody after that")
    func login() async throws {
        let world = try await ServiceWorld()
        let campaign = try await Self.campaign(world)
        var device = try await ServiceDevice.started(world, 1)
        try await Self.show(device, campaign)
        let before = try await Self.copies(device, campaign)
        try await device.identify("anna")
        let after = try await Self.copies(device, campaign)
        #expect(before.count == 1 && after.count == 1 && before.first?.contact != after.first?.contact)
        #expect(after.first?.shown == 1 && after.first?.clicks == 1)
        // Seen once more as Anna; then somebody else is there, and comes back as her.
        try await Self.show(device, campaign)
        try await device.linkAnonymously()
        try await Self.show(device, campaign)
        let both = try await Self.copies(device, campaign)
        #expect(both.map(\.shown).sorted() == [1, 2])
        try await device.identify("anna")
        let sums = try await world.database.read { try $0.inAppDeviceStates.sums(of: campaign) }
        #expect(try await Self.copies(device, campaign).map(\.shown) == [3])
        #expect(
            sums.displays == 3 && sums.displayedBy == 1 && sums.clicksByButton == ["yes": 3]
                && sums.notShown == ["r": 3])
    }

    @Test("ID-4: two known people on one device each keep their own displays")
    func twoPeople() async throws {
        let world = try await ServiceWorld()
        let campaign = try await Self.campaign(world)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await Self.show(device, campaign)
        try await device.identify("bob")
        try await Self.show(device, campaign)
        try await Self.show(device, campaign)
        try await device.identify("anna")
        #expect(try await Self.copies(device, campaign).map(\.shown).sorted() == [1, 2])
    }

    @Test("REG-36: of an erased person no message remains, also on devices that they have left")
    func erasure() async throws {
        let world = try await ServiceWorld()
        let campaign = try await Self.campaign(world)
        var (own, shared) = (try await ServiceDevice.started(world, 1), try await ServiceDevice.started(world, 2))
        for index in 0..<2 {
            var device = index == 0 ? own : shared
            try await device.identify("anna")
            try await Self.show(device, campaign)
            if index == 0 { own = device } else { shared = device }
        }
        try await shared.identify("bob")
        try await Self.show(shared, campaign)
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await Self.copies(own, campaign).isEmpty)
        #expect(try await Self.copies(shared, campaign).map(\.shown) == [1])
        for table in ["in_app_copies", "in_app_clicks", "in_app_not_shown"] {
            #expect(try await world.rows(table) == 1, "\(table)")
        }
    }
}
