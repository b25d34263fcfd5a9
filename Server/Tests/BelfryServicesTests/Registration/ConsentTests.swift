import BelfryModel
import BelfryServices
import Foundation
import Testing

struct ConsentTests {
    @Test("REG-22, REG-31: a snapshot's consent decides, with a reason and a time")
    func snapshots() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        let story: [(pushEnabled: Bool, osPushEnabled: Bool?, reason: OptOutReason?)] = [
            (true, nil, nil), (false, nil, .user), (false, false, .user), (true, false, .osSetting),
            (true, nil, .osSetting), (true, true, nil), (false, true, .user), (true, true, nil),
        ]
        var since: Date?
        var former: OptOutReason?
        for step in story {
            world.clock.advance(by: 60)
            _ = try await device.register {
                $0.pushEnabled = step.pushEnabled
                $0.osPushEnabled = step.osPushEnabled
            }
            try await world.process()
            if step.reason != former { since = step.reason == nil ? nil : world.clock.now }
            former = step.reason
            let profile = try await world.profile(device)
            #expect(profile.device.optOut == step.reason.map { OptOut(reason: $0, at: since ?? .distantPast) })
            #expect(profile.consent.pushEligibility.reason == step.reason.map { "optedOut:\($0.rawValue)" })
            #expect(profile.consent.inAppEligibility == .eligible)
        }
    }

    @Test("REG-22: a v3 client is opted in by its token, out by DELETE, and by the system's permission")
    func clientWithoutSnapshots() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        #expect(try await world.eligibility(device) == "noToken")
        try await device.putToken("token1")
        #expect(try await world.eligibility(device) == nil)
        try await device.deleteToken()
        #expect(try await world.eligibility(device) == "optedOut:user")
        try await device.putToken("token1")
        #expect(try await world.eligibility(device) == nil)
        for (granted, reason) in [(false, "optedOut:os-setting"), (true, nil)] as [(Bool, String?)] {
            _ = try await world.clients.putProperties(
                SystemProperties(platform: "ios"), osPushEnabled: granted, caller: device.caller()
            )
            #expect(try await world.eligibility(device) == reason)
        }
    }

    @Test("WIRE-20, REG-22: a device's id alone opts nobody out")
    func unprovenCaller() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        try await device.putToken("token1")
        let impostor = try ServiceDevice(world, 1)
        _ = try await world.clients.putProperties(
            SystemProperties(platform: "ios"), osPushEnabled: false, caller: impostor.caller()
        )
        #expect(try await world.eligibility(device) == nil)
        _ = try await world.clients.putProperties(
            SystemProperties(platform: "ios"), osPushEnabled: false, caller: device.caller()
        )
        #expect(try await world.eligibility(device) == "optedOut:os-setting")
    }

    @Test("REG-22: DELETE is the user's own opt-out, which the system's permission does not lift")
    func deleteStands() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        try await device.putToken("token1")
        try await device.deleteToken()
        let optOut = try await world.profile(device).device.optOut
        world.clock.advance(by: 60)
        _ = try await world.clients.putProperties(SystemProperties(), osPushEnabled: true, caller: device.caller())
        try await device.deleteToken()
        #expect(try await world.profile(device).device.optOut == optOut)
        #expect(optOut == OptOut(reason: .user, at: ServiceWorld.epoch))
    }

    @Test("REG-34: a new token, or an opt-in, lifts a push service's opt-out of the old one")
    func lifting() async throws {
        let world = try await ServiceWorld()
        world.transport.answerAll(.unregistered(since: nil))
        for (number, lift) in Self.lifts.enumerated() {
            var device = try await ServiceDevice.registered(world, number + 1, token: "token\(number)")
            _ = try await world.launch(audience: .deviceIDs([device.client.rawValue]))
            try await world.sendToTheEnd()
            #expect(try await world.eligibility(device) == "optedOut:token-invalid")
            try await lift.action(&device)
            try await world.process()
            #expect(try await world.eligibility(device) == lift.reason, "\(number)")
        }
    }

    private struct Lift: Sendable {
        let reason: String?
        let action: @Sendable (inout ServiceDevice) async throws -> Void
    }

    private static let lifts = [
        Lift(reason: nil) { _ = try await $0.register { $0.pushToken = "new1" } },
        Lift(reason: nil) { try await $0.putToken("new2") },
        Lift(reason: nil) { device in
            _ = try await device.register { $0.pushEnabled = false }
            try await device.world.process()
            _ = try await device.register()
        },
        // Sending the same token again changes nothing.
        Lift(reason: "optedOut:token-invalid") { _ = try await $0.register { $0.pushToken = "token3" } },
        Lift(reason: "optedOut:token-invalid") { try await $0.putToken("token4") },
    ]
}

extension ServiceWorld {
    /// Why a device gets no push; nil when it may.
    func eligibility(_ device: ServiceDevice) async throws -> String? {
        try await profile(device).consent.pushEligibility.reason
    }
}
