import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct VerifiedSnapshotTests {
    private let provider: TestIdentityProvider
    private let verified: AppSettings

    init() throws {
        provider = try TestIdentityProvider()
        var settings = AppSettings()
        settings.identity = .verified
        settings.openID = try provider.settings()
        verified = settings
    }

    @Test("ID-3: an unproven contact key is ignored, with a reason; the rest of the snapshot is applied")
    func unproven() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        try await world.save(verified)
        var device = try await ServiceDevice.started(world, 1)
        let anonymous = try await device.contactKey
        let receipt = try await device.tell("anna") {
            $0.attributes = ["city": "Paris"]
            $0.tags = ["sports"]
            $0.pushToken = "token1"
        }
        #expect(receipt.status == .partlyRejected)
        #expect(receipt.rejected.map(\.field) == ["contactKey"] && receipt.rejected.map(\.reason) == ["notProven"])
        let profile = try await world.profile(device)
        #expect(profile.contact?.key == anonymous && profile.contact?.attributes == ["city": "Paris"])
        #expect(profile.device.pushToken?.value == "token1")
        #expect(await errorCode { try await world.directory.contact("anna", app: world.app) } == "notFound")
    }

    @Test("ID-3: a snapshot may repeat the proven key, and no other")
    func provenKey() async throws {
        let world = try await ServiceWorld()
        try await world.save(verified)
        var device = try await ServiceDevice.started(world, 1)
        try await device.prove("anna", by: provider, settings: verified)
        let repeated = try await device.tell(" anna ")
        #expect(repeated.status == .processed)
        for key in ["Anna", "bert"] {
            let receipt = try await device.tell(key)
            #expect(receipt.rejected.map(\.reason) == ["notProven"])
            #expect(try await device.contactKey == "anna")
        }
        let silent = try await device.tell(nil)
        #expect(silent.status == .processed)
        #expect(try await device.contactKey == "anna")
    }

    @Test("ID-3: the setting at the time of processing counts")
    func settingMeanwhile() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let response = try await device.register { $0.contactKey = "anna" }
        try await world.save(verified)
        try await world.process()
        let caller = try device.authenticated()
        let receipt = try await world.registrations.receipt(response.registrationID, caller: caller).value
        #expect(receipt.rejected.map(\.reason) == ["notProven"])
        #expect(try await device.contactKey != "anna")
        // A device that was linked before stays linked.
        for settings in [AppSettings(), verified] {
            try await world.save(settings)
            let receipt = try await device.tell("anna")
            #expect(receipt.status == .processed)
        }
        #expect(try await device.contactKey == "anna")
    }

    @Test("ID-3: each app of one group of registrations has its own rule")
    func twoApps() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        try await world.save(verified)
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register { $0.contactKey = "anna" }
        var snapshot = device.snapshot(revision: 1)
        snapshot.contactKey = "anna"
        let (client, now) = (device.client, world.clock.now)
        try await world.database.write { [snapshot] connection in
            let row = try connection.devices.findOrInsert(app: other.id, client: client, now: now)
            try connection.registrations.insert(
                device: row.id, snapshot: snapshot, requestOrder: now.milliseconds, now: now
            )
        }
        try await world.process()
        #expect(try await device.contactKey != "anna")
        #expect(try await world.directory.contact("anna", app: other).devices.map(\.client) == [client])
    }

    @Test("REG-23: in verified mode a push token matches no contact, known or anonymous")
    func tokenHolder() async throws {
        let world = try await ServiceWorld()
        try await world.save(verified)
        var known = try await ServiceDevice.registered(world, 1, token: "token1")
        try await known.prove("anna", by: provider, settings: verified)
        let anonymous = try await ServiceDevice.registered(world, 2, token: "token2")
        world.clock.advance(by: 60)
        let thief = try await world.unlinkedDevice(3, token: "token1")
        let contact = try #require(try await world.profile(thief).contact)
        #expect(!contact.known && contact.key != "anna")
        let heir = try await world.unlinkedDevice(4, token: "token2")
        #expect(try await heir.contactKey != anonymous.contactKey)
    }

    @Test("WIRE-2: with contact fields listed, a snapshot's key is ignored, unless it is the linked one")
    func contactFields() async throws {
        let world = try await ServiceWorld()
        var settings = AppSettings()
        settings.contactFields = ["3"]
        try await world.save(settings)
        var device = try await ServiceDevice.started(world, 1)
        let receipt = try await device.tell("anna")
        #expect(receipt.rejected.map(\.field) == ["contactKey"])
        #expect(receipt.rejected.map(\.reason) == ["contactFieldNotAllowed"])
        #expect(try await device.contactKey != "anna")
        try await device.identify("anna", field: "3")
        for (key, status) in [("anna", ReceiptStatus.processed), ("bert", .partlyRejected)] {
            let receipt = try await device.tell(key)
            #expect(receipt.status == status)
        }
        #expect(try await device.contactKey == "anna")
    }

    @Test(
        "ID-3: only proofs link a device to a known contact, whatever else it does",
        arguments: Endurance.seeds(8, brief: 2))
    func anyStory(seed: UInt64) async throws {
        let world = try await ServiceWorld()
        try await world.save(verified)
        var dice = SeededGenerator(seed: seed)
        var devices = [try await ServiceDevice.started(world, 1), try await ServiceDevice.started(world, 2)]
        var expected: [String?] = [nil, nil]
        let keys = ["anna", "bert", "carla"]
        for _ in 0..<40 {
            world.clock.advance(by: 1)
            let index = Int.random(in: 0...1, using: &dice)
            let key = keys[Int.random(in: keys.indices, using: &dice)]
            switch Int.random(in: 0..<4, using: &dice) {
            case 0:
                try await devices[index].prove(key, by: provider, settings: verified)
                expected[index] = key
            case 1:
                try await devices[index].linkAnonymously()
                expected[index] = nil
            default:
                let said = Bool.random(using: &dice) ? key : nil
                let receipt = try await devices[index].tell(said) { $0.pushToken = "token-of-\(key)" }
                let isIgnored = said != nil && said != expected[index]
                #expect(receipt.rejected.map(\.reason) == (isIgnored ? ["notProven"] : []))
            }
            for (device, expected) in zip(devices, expected) {
                let contact = try await world.profile(device).contact
                #expect((contact?.known == true ? contact?.key : nil) == expected)
            }
        }
    }
}

extension ServiceDevice {
    /// Registers with this contact key, and returns the receipt when it was processed.
    fileprivate mutating func tell(
        _ key: String?, _ change: (inout RegistrationSnapshot) -> Void = { _ in }
    ) async throws -> RegistrationIngestion.Receipt {
        world.clock.advance(by: 0.001)
        let response = try await register {
            $0.contactKey = key
            change(&$0)
        }
        try await world.process()
        return try await world.registrations.receipt(response.registrationID, caller: try authenticated()).value
    }
}
