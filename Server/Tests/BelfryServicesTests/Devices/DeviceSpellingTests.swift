import BelfryModel
import BelfryRules
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct DeviceSpellingTests {
    private static let upper = "C0FFEE00-0000-4000-8000-00000000000A"
    private static let lower = upper.lowercased()

    /// A call of the installation under one of its spellings.
    private func caller(_ world: ServiceWorld, _ id: String, like device: ServiceDevice? = nil) throws -> Caller {
        Caller(
            app: world.app, client: try DeviceID(id), state: device?.state, token: device?.contactToken,
            order: RequestOrder(header: nil, now: world.clock.now, maximumAhead: 300)
        )
    }

    @Test("WIRE-20: one installation is one device, however its id is spelled")
    func oneDevice() async throws {
        let world = try await ServiceWorld()
        var device = try ServiceDevice(world, 1)
        device.keep(try await world.links.linkAnonymously(caller(world, Self.upper)))
        let contact = device.contactReference
        // State and token are valid under the other spelling, so the link is authenticated.
        let again = try await world.links.linkAnonymously(caller(world, Self.lower, like: device))
        #expect(again.value.contactReference == contact)
        device.keep(again)
        device.contactToken = nil
        device.keep(try await world.links.linkAnonymously(caller(world, Self.upper, like: device)))
        #expect(device.contactReference == contact)
        for id in [Self.upper, Self.lower] {
            let own = try caller(world, id, like: device)
            #expect(throws: Never.self) { try world.authentication.authenticate(own) }
            _ = try await world.links.refresh(device.refreshToken ?? "", caller: own)
            // People see the spelling that came first.
            #expect(try await world.directory.device(id, app: world.app).device.client.rawValue == Self.upper)
        }
        #expect(try await world.rows("devices") == 1)
    }

    @Test("WIRE-20: ids that are no UUID are compared as they are spelled: two that differ in case are two devices")
    func spelled() async throws {
        let world = try await ServiceWorld()
        let ids = ["9774d56d682e549c", "9774D56D682E549C", #"a "quoted\" id/?#%"#, "cWvBYyPfRX6"]
        var devices: [(id: String, device: ServiceDevice)] = []
        for id in ids {
            var device = try ServiceDevice(world, 1)
            device.keep(try await world.links.linkAnonymously(caller(world, id)))
            let named = try caller(world, id, like: device)
            _ = try await world.registrations.receive(
                RegistrationSnapshot(
                    deviceId: id, registrationId: world.environment.uuid().uuidString, revision: 1, pushEnabled: true
                ), caller: world.authentication.authenticate(named)
            )
            _ = try await world.links.refresh(device.refreshToken ?? "", caller: named)
            devices.append((id, device))
        }
        #expect(try await world.rows("devices") == ids.count)
        for (id, device) in devices {
            #expect(try await world.directory.device(id, app: world.app).device.client.rawValue == id)
            // Nobody is another by the case of an id.
            let other = id == id.uppercased() ? id.lowercased() : id.uppercased()
            #expect(throws: ServiceError.self) {
                try world.authentication.authenticate(caller(world, other, like: device))
            }
        }
        let wrong = try caller(world, ids[0], like: devices[0].device)
        let snapshot = RegistrationSnapshot(
            deviceId: ids[1], registrationId: world.environment.uuid().uuidString, revision: 2, pushEnabled: true
        )
        await #expect(throws: ServiceError.self) {
            _ = try await world.registrations.receive(snapshot, caller: world.authentication.authenticate(wrong))
        }
        for (audience, count) in [
            ([ids[0]], 1), ([ids[0].uppercased(), ids[2], "x", "é"], 2), (["9774d56d"], 0),
        ] {
            let id = try await world.launch(audience: .deviceIDs(audience))
            try await world.sendToTheEnd()
            #expect(try await world.counts(id).audience == count, "\(audience)")
        }
    }

    @Test("WIRE-20: a snapshot's deviceId may be spelled otherwise than X-Client-Id")
    func snapshot() async throws {
        let world = try await ServiceWorld()
        var device = try ServiceDevice(world, 1)
        device.keep(try await world.links.linkAnonymously(caller(world, Self.upper)))
        let own = try world.authentication.authenticate(caller(world, Self.upper, like: device))
        let snapshot = RegistrationSnapshot(
            deviceId: Self.lower, registrationId: world.environment.uuid().uuidString, revision: 1, pushEnabled: true
        )
        #expect(try await world.registrations.receive(snapshot, caller: own).value.status == .received)
    }

    @Test("WIRE-6, PUSH-5: derived event ids, message ids and audiences do not depend on the spelling")
    func derived() async throws {
        let world = try await ServiceWorld()
        let clients = [try DeviceID(Self.upper), try DeviceID(Self.lower)]
        let ids = try clients.map {
            EventID.derived(
                client: $0, timestamp: ServiceWorld.epoch, name: try EventName("n"), session: nil, attributes: "{}"
            )
        }
        #expect(ids[0] == ids[1])
        _ = try await world.links.linkAnonymously(caller(world, Self.lower))
        let id = try await world.launch(audience: .deviceIDs([Self.upper]))
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).audience == 1)
        let explanation = try await world.explainer.explain(id, device: Self.upper, app: world.app)
        #expect(explanation.state == "suppressed")
    }
}
