import BelfryModel
import Foundation
import Network
import Testing
import UserNotifications

@testable import Belfry

extension AppleAdapters {
    /// What the platform tells the client.
    @MainActor
    struct SystemTests {
        @Test("REG-6: the network monitor's word is heard, and its end with the client's")
        func network() async throws {
            let device = try AppleDevice()
            try await device.open()
            NetworkWeather.shared.set(.unsatisfied)
            try await happens("it is offline") { try await !device.client.state().isOnline }
            // A path that first needs a connection gets one.
            NetworkWeather.shared.set(.requiresConnection)
            try await happens("it is online") { try await device.client.state().isOnline }
            _ = await device.end()
            await happens("the monitor ends") { NetworkWeather.shared.monitorCount == 0 }
        }

        @Test(
            "REG-5: a changed time zone or locale is read and sent",
            arguments: [
                Notification.Name.NSSystemTimeZoneDidChange, NSLocale.currentLocaleDidChangeNotification,
            ])
        func system(name: Notification.Name) async throws {
            let device = try AppleDevice()
            try await device.open()
            // The record differs from what the system says, as after a change.
            try await device.client.engine.step { step throws(BelfryError) in
                step.state.record.system = SystemProperties()
            }
            NotificationCenter.default.post(name: name, object: nil)
            try await happens("it is read") {
                try await device.client.engine.state().record.system.appVersion == "1.0"
            }
            _ = await device.end()
        }

        @Test("EVT-6: a session begins when the app is shown and pauses when the person leaves it")
        func session() async throws {
            let device = try AppleDevice()
            // Without a login, which may come before or after the app is noticed to be shown, and begins a session.
            try await device.open(nil)
            try await device.leave()
            device.world.clock.advance(by: 120)
            try await device.comeBack()
            try await device.client.flush()
            let names = await device.world.server.events.map(\.name).filter { $0.hasPrefix("session:") }
            #expect(names == ["session:start", "session:end", "session:start"])
            _ = await device.end()
        }

        @Test("IAM-12: addresses and the settings are opened by the system; who was never asked is asked")
        func links() async throws {
            let device = try AppleDevice(permission: .notDetermined)
            let opener = try #require(ApplePlatform(appVersion: nil).linkOpener)
            #expect(await opener.open(try #require(URL(string: "https://example.com/a"))))
            #expect(await !opener.open(try #require(URL(string: "unknown://a"))))
            #expect(await opener.openPushSettings())
            #expect(NotificationScreen.shared.read { $0.status } == .authorized)
            #expect(await opener.openPushSettings())
            #expect(TheSystem.opened.map(\.absoluteString) == ["https://example.com/a", TheSystem.settingsAddress])
            _ = await device.end()
        }

        @Test("PUSH-8: the container of an app group is found, and a group that the app does not belong to is named")
        func appGroup() throws {
            let container = FileManager.default.temporaryDirectory
            AppGroups.shared.set(container, for: "group.shop")
            #expect(try BelfryConfiguration.appGroupDirectory("group.shop") == container)
            let error = #expect(throws: BelfryError.self) { try BelfryConfiguration.appGroupDirectory("group.other") }
            #expect(error?.field == "appGroupDirectory" && error?.message.contains("group.other") == true)
        }

        @Test("REG-13: the standard directory is the app's own, and a build without a profile is a shop's build")
        func constants() throws {
            let directory = try BelfryConfiguration.standardDirectory(named: "Second")
            #expect(directory.lastPathComponent == "Second" && directory.isFileURL)
            #expect(PushEnvironment.ofThisBuild == .production)
            #expect(PushPermission(.ephemeral) == .granted)
        }
    }
}
