import BelfryModel
import Testing
import V3Client

@Suite("Push consent of a v3 client")
struct V3PushTests {
    @Test(
        "WIRE-5, REG-22: a token opts in, its removal is the person's opt-out, and a new one lifts it",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func token(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server)
            await device.start()
            let bare = try await admin.device(device.id)
            #expect(!bare.push.eligible && bare.optOut == nil)

            await device.setPushToken(device.pushToken)
            #expect(try await admin.device(device.id).push.eligible)

            let removal = await device.calls { await $0.clearPushToken() }
            #expect(removal.map(\.line) == ["DELETE /v3/apps/shop/client/push-token"])
            #expect(removal.map(\.status) == [204])
            #expect((removal.first?.request.body == nil) == (flavour == .android))
            let rejected = try await admin.device(device.id)
            #expect(rejected.pushToken == nil)
            #expect(rejected.optOut?.reason == .user)
            #expect(rejected.push.reason == "optedOut:user")

            await device.setPushToken(device.pushToken)
            #expect(try await admin.device(device.id).push.eligible)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-1, REG-22: the system's settings are applied at the next start, for a known contact too",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func settings(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server)
            await device.start()
            await device.setPushToken(device.pushToken)
            try await expectSettingsHeard(device, admin)
            await device.setContact("user-4711")
            try await expectSettingsHeard(device, admin)
            #expect(await device.complaints == [])
        }
    }

    private func expectSettingsHeard(_ device: V3Device, _ admin: AdminCaller) async throws {
        let allowed = try #require(await device.info["pushSettings"])
        let denied =
            device.settings.flavour == .ios
            ? allowed.with("authorizationStatus", "denied").with("alertSetting", "disabled")
            : allowed.with("areNotificationsEnabled", false)
        await device.change("pushSettings", to: denied)
        await device.start()
        let rejected = try await admin.device(device.id)
        #expect(rejected.osPushEnabled == false)
        #expect(rejected.optOut?.reason == .osSetting)
        #expect(rejected.push.reason == "optedOut:os-setting")
        #expect(rejected.pushToken != nil)

        await device.change("pushSettings", to: allowed)
        await device.start()
        let lifted = try await admin.device(device.id)
        #expect(lifted.push.eligible && lifted.optOut == nil)
    }
}
