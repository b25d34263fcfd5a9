import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// FLEET-2: what operators see of people whose devices are dormant, and do to them.
struct DormantPeopleTests {
    /// Anna, who has two phones and has done something with the first.
    private static func anna(_ world: ServiceWorld) async throws -> (first: ServiceDevice, sent: CampaignID) {
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var first = try await ServiceDevice.started(world, 1)
        try await first.tell(["city": "Paris", "shoe": "38"], key: "anna", tags: ["sports"])
        try await first.putToken("token1")
        try await first.track(.test("e1"))
        _ = try await ServiceDevice.registered(world, 2, key: "anna")
        let sent = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()
        return (first, sent)
    }

    @Test("FLEET-2, ADM-4: lists, profiles, exports and explanations have a dormant device as before")
    func views() async throws {
        let world = try await ServiceWorld()
        let (device, sent) = try await Self.anna(world)
        let before = try await OperatorView(device, sent)
        #expect(before.listed.count == 2 && before.deviceCount == 2 && before.events == ["e1"])
        try await world.putAway(device)
        #expect(try await OperatorView(device, sent) == before)
        #expect(try await world.deviceCounts() == [1, 1, 1])
        let byToken = try await world.directory.devices(
            matching: DeviceListFilter(pushToken: "token1"), app: world.app, before: nil, limit: 9
        )
        #expect(byToken.devices.isEmpty, "no push goes to it")
    }

    @Test("FLEET-2: audiences and counts are of devices that live; the explanation says why a dormant one got nothing")
    func living() async throws {
        let world = try await ServiceWorld()
        let (device, _) = try await Self.anna(world)
        try await world.putAway(device)
        #expect(try await world.campaigns.audiences.count(.everyone, app: world.app) == 1)
        #expect(try await world.campaigns.audiences.count(.contactKeys(["anna"]), app: world.app) == 1)
        let push = try await world.launch()
        try await world.sendToTheEnd()
        let inApp = try await world.offer()
        try await world.planInAppCampaigns()
        for id in [push, inApp] {
            #expect(try await world.counts(id).audience == 1)
            let explanation = try await world.explanation(id, device)
            #expect(explanation.state == "notInAudience" && explanation.sentence.contains("is dormant"))
        }
        // Its app is opened: what it can still get, it gets.
        try await device.track(.test("e2", .sessionStart, at: world.clock.now))
        #expect(try await world.campaigns.audiences.count(.everyone, app: world.app) == 2)
        var phone = InAppPhone(device)
        #expect(try await phone.sync().messages.map(\.campaign) == [inApp])
        #expect(try await !world.explanation(push, device).sentence.contains("dormant"))
    }

    @Test("FLEET-2, CAMP-3: what a dormant device has sent counts for its person on the devices that live")
    func history() async throws {
        let world = try await ServiceWorld()
        let (device, _) = try await Self.anna(world)
        func count(atLeast times: Int) async throws -> Int {
            let clause = EventClause(name: EventName.appStart.rawValue, count: EventCount(.greaterOrEqual, times))
            return try await world.campaigns.audiences.count(.event(clause), app: world.app)
        }
        #expect(try await count(atLeast: 1) == 2)
        try await world.putAway(device)
        #expect(try await count(atLeast: 1) == 1)
        #expect(try await count(atLeast: 2) == 0)
        try await device.track(.test("e2"))
        #expect(try await count(atLeast: 2) == 2)
    }

    @Test("FLEET-2, CON-5: a draft is shown to a contact as to the newest of its devices that lives")
    func draft() async throws {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        for (number, locale) in ["de", "fr"].enumerated() {
            var device = try await ServiceDevice.started(world, number + 1)
            try await device.register {
                $0.contactKey = "anna"
                $0.locale = locale
            }
            try await world.process()
            devices.append(device)
        }
        var push = PushContent(title: "Hello", body: "B")
        push.variants = ["de": PushVariant(title: "Hallo"), "fr": PushVariant(title: "Salut")]
        let draft = ServiceWorld.draft(push: push)
        func title() async throws -> String? {
            try await world.campaigns.draftPreviews.preview(of: draft, as: .contact("anna"), app: world.app).push?.title
        }
        #expect(try await title() == "Salut")
        try await world.putAway(devices[1])
        #expect(try await title() == "Hallo")
        try await world.putAway(devices[0])
        #expect(try await title() == "Hello")
    }

    @Test("FLEET-2, CAMP-7: previews and tests name a dormant device as one that no campaign reaches")
    func previews() async throws {
        let world = try await ServiceWorld()
        let (device, _) = try await Self.anna(world)
        try await world.putAway(device)
        let names = [device.client.rawValue]
        for draft in [ServiceWorld.draft(), ServiceWorld.news()] {
            let id = try await world.campaigns.drafts.create(draft, app: world.app).id
            let preview = await errorCode {
                try await world.campaigns.previews.preview(id, devices: names, limit: 5, app: world.app)
            }
            let test = await errorCode {
                try await world.campaigns.tests.test(id, devices: names, app: world.app)
            }
            #expect(preview == "conflict" && test == "conflict", "\(draft.kind)")
        }
        #expect(try await world.deviceCounts() == [1, 1, 1])
    }

    @Test("FLEET-2, CON-12: a rehearsal is of devices that live, and names those that have become dormant since")
    func rehearsal() async throws {
        let world = try await ServiceWorld()
        let first = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let second = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        try await world.putAway(first)
        let rehearsal = try await world.rehearse(try await world.draft(ServiceWorld.draft()))
        #expect(rehearsal.status == .done && rehearsal.audience == 1)
        try await world.putAway(second)
        let accepted = RehearsedSelection(outcome: .accepted)
        let found = try await world.rehearsals.people(in: rehearsal, accepted, limit: 9)
        #expect(found.people.map(\.device) == [second.client.rawValue])
    }

    @Test("FLEET-2, WIRE-20: of several installations with one id a preview shows the newest that lives")
    func previewOfSeveral() async throws {
        let world = try await ServiceWorld()
        var installations: [ServiceDevice] = []
        for _ in 0..<3 {
            world.clock.advance(by: 1)
            installations.append(try await ServiceDevice.registered(world, 1, key: "anna"))
        }
        let (app, newest) = (world.app.id, try await installations[2].row.id)
        try await world.database.write { try $0.dormantDevices.take([newest], app: app) }
        #expect(try await world.deviceCounts() == [2, 1, 2])
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        let names = [installations[2].client.rawValue]
        let preview = try await world.campaigns.previews.preview(id, devices: names, limit: 5, app: world.app)
        #expect(preview.map(\.device) == names)
        let found = try await world.database.read { connection in
            try AppLookup(connection: connection, app: app).livingDevice(names[0]).id
        }
        #expect(try await found == installations[1].row.id)
    }

    @Test("FLEET-2, ADM-5: a merge takes dormant devices along, and they come back to the contact that is left")
    func merge() async throws {
        let world = try await ServiceWorld()
        let (device, _) = try await Self.anna(world)
        _ = try await ServiceDevice.registered(world, 3, key: "nina")
        try await world.putAway(device)
        let merged = try await world.contacts.merge("anna", into: "nina", field: "into", app: world.app)
        #expect(merged.devices == 2)
        #expect(try await world.deviceCounts() == [2, 1, 2])
        #expect(try await world.directory.contact("nina", app: world.app).deviceCount == 3)
        #expect(try await world.profile(device).contact?.key == "nina")
        try await device.track(.test("e2"))
        #expect(try await world.owners() == ["e1": "nina", "e2": "nina"])
        #expect(try await world.deviceCounts() == [3, 0, 3])
        try await world.expectExactAudience()
    }

    @Test("FLEET-2, WIRE-20: a dormant device can be revoked, and comes back as a new installation")
    func revocation() async throws {
        let world = try await ServiceWorld()
        var (device, _) = try await Self.anna(world)
        let number = try await device.row.id
        try await world.putAway(device)
        try await world.links.revoke(device.client.rawValue, app: world.app)
        #expect(try await world.profile(device).contact == nil)
        let revoked = device
        #expect(await errorCode { try await revoked.track(.test("e2")) } == "contactTokenInvalid")
        #expect(try await world.deviceCounts() == [1, 1, 1])
        world.clock.advance(by: 1)
        try await device.linkAnonymously()
        #expect(try await device.row.id == number)
        #expect(try await device.row.pushToken == nil)
        #expect(try await device.contactKey?.hasPrefix(ContactKey.anonymousPrefix) == true)
        #expect(try await world.deviceCounts() == [2, 0, 2])
        try await world.expectExactAudience()
    }

    @Test("FLEET-2, REG-36: an erasure takes dormant devices, and their calls are turned away")
    func erasure() async throws {
        let world = try await ServiceWorld()
        let (device, _) = try await Self.anna(world)
        try await world.putAway(device)
        let receipt = try await world.contacts.erase("anna", app: world.app)
        #expect(receipt.removed.devices == 2 && receipt.removed.events == 1)
        #expect(try await world.deviceCounts() == [0, 0, 0])
        #expect(await errorCode { try await device.track(.test("e2")) } == "erased")
        #expect(await errorCode { try await world.links.linkAnonymously(device.caller()) } == "erased")
    }

    @Test("FLEET-2, REG-24: a contact whose devices are all dormant is no orphan")
    func orphan() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna")
        try await world.putAway(device)
        let error = await errorCode { try await world.contacts.removeOrphan("anna", app: world.app) }
        #expect(error == "conflict")
        #expect(try await world.contactKeys(orphaned: true) == [])
    }

    @Test("FLEET-2, REG-25: what a dormant device said of an attribute counts once that is defined")
    func attributes() async throws {
        let world = try await ServiceWorld()
        var (device, _) = try await Self.anna(world)
        try await world.putAway(device)
        try await world.apps.defineAttribute("shoe", type: .string, app: world.app)
        try await world.reviewAttributes()
        let whole: [String: AttributeValue] = ["city": "Paris", "shoe": "38"]
        #expect(try await world.directory.contact("anna", app: world.app).contact.attributes == whole)
        #expect(try await world.deviceCounts() == [1, 1, 1])
        // What it repeats of before overwrites nothing (REG-28).
        world.clock.advance(by: 60)
        var other = try await ServiceDevice.started(world, 3)
        try await other.tell(["shoe": "39"], key: "anna")
        world.clock.advance(by: 60)
        try await device.tell(["city": "Paris", "shoe": "38"], key: "anna", tags: ["sports"])
        #expect(try await world.directory.contact("anna", app: world.app).contact.attributes["shoe"] == "39")
        try await world.expectExactAudience()
    }
}

/// What operators are shown of a device, its person and a campaign that it was sent.
private struct OperatorView: Hashable, Sendable {
    let listed: [DeviceRow]
    let listedOfContact: [DeviceRow]
    let listedByID: [DeviceRow]
    let device: DeviceRow
    let registration: ProcessedRegistration?
    let events: [String]
    let contact: ContactRow
    let devices: [DeviceRow]
    let deviceCount: Int
    let tags: [PersonTag]
    let sources: [String: AttributeSource]
    let explanation: Explanation
    let export: [UInt8]

    init(_ shown: ServiceDevice, _ campaign: CampaignID) async throws {
        let (world, app, client) = (shown.world, shown.world.app, shown.client.rawValue)
        func list(_ filter: DeviceListFilter) async throws -> [DeviceRow] {
            try await world.directory.devices(matching: filter, app: app, before: nil, limit: 9).devices.map(\.device)
        }
        listed = try await list(DeviceListFilter())
        listedOfContact = try await list(DeviceListFilter(contact: "anna"))
        listedByID = try await list(DeviceListFilter(client: client))
        let profile = try await world.profile(shown)
        device = profile.device
        registration = profile.registration
        events = try await world.directory.events(of: client, app: app, cursor: nil, limit: 9).events.map(\.eventID)
        let person = try await world.directory.person(.key("anna"), app: app)
        contact = person.contact
        devices = person.devices.map(\.device)
        deviceCount = person.deviceCount
        tags = person.tags
        sources = person.sources
        explanation = try await world.explanation(campaign, shown)
        var document = ContactExportDocument(
            try await world.contacts.export("anna", app: app), app: app.code, at: world.clock.now
        )
        var bytes: [UInt8] = []
        try await document.write { bytes += $0 }
        export = bytes
    }
}
