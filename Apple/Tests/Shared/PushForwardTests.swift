import BelfryModel
import Foundation
import Testing
import UserNotifications

@testable import Belfry

extension AppleAdapters {
    /// What an app forwards about pushes (PUSH-22, REG-30, ID-4).
    @MainActor
    struct PushForwardTests {
        @Test("REG-30: the system's token reaches the server; it is requested at the start when pushes are permitted")
        func token() async throws {
            let device = try AppleDevice()
            TheSystem.tokenAnswer = .success(Data([0x0a, 0xbc, 0xff]))
            try await device.open()
            #expect(TheSystem.registrations == 1)
            await happens("the token arrives") { await device.world.server.pushToken == "0abcff" }
            #expect(await device.end().isEmpty)
        }

        @Test("REG-30: nobody was asked, so no token is requested until the person grants pushes")
        func permission() async throws {
            let device = try AppleDevice(permission: .notDetermined)
            try await device.open()
            #expect(TheSystem.registrations == 0)
            #expect(try await device.client.requestPushPermission())
            #expect(TheSystem.registrations == 1)
            #expect(NotificationScreen.shared.read { $0.prompts } == [[.alert, .badge, .sound]])
            #expect(try await device.client.state().consent.osPushEnabled == true)
            _ = await device.end()
        }

        @Test("REG-30: a refusal, and an error of the prompt, count as denied; the settings change it later")
        func denied() async throws {
            let device = try AppleDevice(permission: .notDetermined)
            NotificationScreen.shared.change { $0.grants = false }
            try await device.open()
            #expect(try await !device.client.requestPushPermission())
            #expect(try await device.client.state().consent.osPushEnabled == false)
            NotificationScreen.shared.change { $0.promptError = UNError(.notificationsNotAllowed) }
            #expect(try await !device.client.requestPushPermission(.provisional))
            NotificationScreen.shared.change { $0.status = .provisional }
            try await device.leave()
            try await device.comeBack()
            try await happens("the change is noticed") {
                try await device.client.state().consent.osPushEnabled == true
            }
            #expect(TheSystem.registrations == 1)
            _ = await device.end()
        }

        @Test(
            "REG-30: a failed registration is reported and tried again after 1, 2, 4 minutes, and when the app is shown"
        )
        func failedRegistration() async throws {
            let device = try AppleDevice()
            TheSystem.tokenAnswer = .failure(systemError("NSURLErrorDomain", -1009))
            try await device.open()
            var expected = 1
            for minutes in [1.0, 2, 4] {
                await happens("the client sleeps") { await device.client.engine.process.tokenRetry.task != nil }
                device.world.clock.advance(by: minutes * 60 - 1)
                await device.client.waitUntilIdle()
                #expect(TheSystem.registrations == expected)
                device.world.clock.advance(by: 2)
                expected += 1
                await happens("it asks again") { TheSystem.registrations == expected }
            }
            await happens("the client sleeps") { await device.client.engine.process.tokenRetry.task != nil }
            TheSystem.tokenAnswer = .success(Data([1]))
            try await device.leave()
            try await device.comeBack()
            await happens("the token arrives") { await device.world.server.pushToken == "01" }
            device.world.clock.advance(by: 7_200)
            await device.client.waitUntilIdle()
            #expect(TheSystem.registrations == expected + 1, "it has a token, and asks no more")
            let failures = await device.end().compactMap { report in
                if case .pushRegistrationFailed(let failure) = report { failure } else { nil }
            }
            #expect(failures.map(\.code) == [-1009, -1009, -1009, -1009])
            #expect(failures.first?.domain == "NSURLErrorDomain" && failures.first?.message == "It did not work.")
            #expect(failures.first?.retryAt == World.epoch.addingTimeInterval(60))
        }

        @Test(
            "REG-30: a build without the entitlement is told so once, and asks again at the next start only",
            arguments: [3000, 3010])
        func lasting(code: Int) async throws {
            let device = try AppleDevice()
            TheSystem.tokenAnswer = .failure(systemError("NSCocoaErrorDomain", code))
            try await device.open()
            try await device.leave()
            try await device.comeBack()
            device.world.clock.advance(by: 7_200)
            await device.client.waitUntilIdle()
            #expect(TheSystem.registrations == 1)
            let reported = await device.end()
            #expect(
                reported == [.pushRegistrationFailed(PushRegistrationFailure(systemError("NSCocoaErrorDomain", code)))])
        }

        @Test("PUSH-22: a push that arrives in front is shown, and received and displayed once")
        func inFront() async throws {
            let device = try AppleDevice()
            try await device.open()
            for _ in 0..<2 {
                let shown = await NotificationScreen.shared.present(NotificationScreen.request("n1", payload("S-1")))
                #expect(shown == [.banner, .list, .sound, .badge])
            }
            #expect(try await device.pushEvents == ["push:received", "push:displayed"])
            _ = await device.end()
        }

        @Test("PUSH-22: another sender's push is shown and opened, and nothing of it is recorded")
        func foreign() async throws {
            let device = try AppleDevice()
            try await device.open()
            let shown = await NotificationScreen.shared.present(NotificationScreen.request("n1", foreignPayload))
            #expect(shown == [.banner, .list, .sound, .badge])
            #expect(await NotificationScreen.shared.respond(to: "n1", with: UNNotificationDefaultActionIdentifier))
            #expect(TheSystem.responses.isEmpty)
            #expect(try await device.pushEvents.isEmpty)
            _ = await device.end()
        }

        @Test("ID-4: a push for a person who has left is not shown, and opens nothing")
        func former() async throws {
            let device = try AppleDevice()
            try await device.open("anna")
            try await device.client.logout()
            await device.client.waitUntilIdle()
            let late = payload("S-1", to: FakeServer.tag(of: "anna"), action: ["type": "openUrl", "url": "shop://x"])
            #expect(await NotificationScreen.shared.present(NotificationScreen.request("n1", late)) == [])
            NotificationScreen.shared.show(NotificationScreen.request("n2", late))
            #expect(await NotificationScreen.shared.respond(to: "n2", with: UNNotificationDefaultActionIdentifier))
            #expect(TheSystem.responses.first?.dropReason == .formerContact && TheSystem.responses.first?.action == nil)
            #expect(try await device.pushEvents.isEmpty)
            #expect(await device.end().allSatisfy { $0 == .pushDropped(.formerContact) })
        }

        @Test("PUSH-22: opening, a button and a dismissal are told apart, and imply that the push was seen")
        func responses() async throws {
            let device = try AppleDevice()
            try await device.open()
            let actions = [UNNotificationDefaultActionIdentifier, "later", UNNotificationDismissActionIdentifier]
            for (number, action) in actions.enumerated() {
                let body = payload("S-\(number)", action: ["type": "openUrl", "url": "shop://x"])
                NotificationScreen.shared.show(NotificationScreen.request("n\(number)", body))
                #expect(await NotificationScreen.shared.respond(to: "n\(number)", with: action))
            }
            #expect(TheSystem.responses.map(\.button) == [nil, "later", nil])
            #expect(TheSystem.responses.map(\.isDismissal) == [false, false, true])
            #expect(TheSystem.responses.map { $0.action?.url } == ["shop://x", nil, nil])
            let seen = ["push:received", "push:displayed"]
            #expect(
                try await device.pushEvents == seen + ["push:click"] + seen + ["push:click"] + seen + ["push:dismiss"])
            let clicks = await device.world.server.events.filter { $0.name == "push:click" }
            #expect(clicks.map { $0.attributes["button_id"] } == [nil, "later"])
            _ = await device.end()
        }

        @Test("PUSH-22: the system gets its answer, although the storage fails, and the failure is reported")
        func brokenStorage() async throws {
            let device = try AppleDevice()
            try await device.open()
            await device.client.stop()
            let shown = await NotificationScreen.shared.present(NotificationScreen.request("n1", payload("S-1")))
            #expect(shown == [.banner, .list, .sound, .badge])
            NotificationScreen.shared.show(NotificationScreen.request("n2", payload("S-2")))
            #expect(await NotificationScreen.shared.respond(to: "n2", with: UNNotificationDismissActionIdentifier))
        }
    }
}
