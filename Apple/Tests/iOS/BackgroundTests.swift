import BelfryModel
import Foundation
import Testing
import UIKit
import UserNotifications

@testable import Belfry

extension AppleAdapters {
    /// The time that iOS grants in the background, and silent pushes (EVT-2, PUSH-7, PUSH-23, REG-3).
    @MainActor
    struct BackgroundTests {
        private var tasks: BackgroundTaskBoard { UIApplication.shared.backgroundTasks }

        private func receive(_ userInfo: [String: Any]) async -> UIBackgroundFetchResult? {
            let app = UIApplication.shared
            return await app.delegate?.application(app, didReceiveRemoteNotification: userInfo)
        }

        @Test("PUSH-23: events leave in the time that begins while the app leaves, and the time is given back")
        func leaving() async throws {
            let device = try AppleDevice()
            try await device.open()
            try await device.client.track("cart:add")
            TheSystem.leave()
            #expect(tasks.granted == 1, "before the system was answered")
            await happens("the time is given back") { tasks.runningCount == 0 }
            #expect(await device.world.server.events.contains { $0.name == "cart:add" })
            _ = await device.end()
        }

        @Test("PUSH-23: a time that ends before the answer came is given back at once, and nothing is lost")
        func expired() async throws {
            let device = try AppleDevice()
            try await device.open()
            await device.world.server.set(isOffline: true)
            let former = await device.world.server.events.count
            try await device.client.track("cart:add")
            TheSystem.leave()
            #expect(tasks.expire(), "the system kills a process that keeps a time")
            try await happens("the client has noticed") { try await device.client.state().appState == .background }
            #expect(await device.world.server.events.count == former)
            await device.world.server.set(isOffline: false)
            try await device.comeBack()
            try await device.client.flush()
            #expect(await device.world.server.events.contains { $0.name == "cart:add" })
            _ = await device.end()
        }

        @Test("PUSH-23: where no time is granted, the events wait")
        func refused() async throws {
            let device = try AppleDevice()
            try await device.open()
            tasks.isRefusing = true
            try await device.leave()
            #expect(tasks.granted == 0)
            #expect(await receive(payload("S-1", title: nil)) == .newData)
            _ = await device.end()
        }

        @Test("PUSH-7, REG-3: a silent push wakes the app: it is recorded and sent, and begins no session")
        func silent() async throws {
            let device = try AppleDevice()
            try await device.open()
            try await device.leave()
            await happens("the time is given back") { tasks.runningCount == 0 }
            let former = await device.world.server.snapshots.count
            try await device.client.edit { _ = $0.addTag("waits") }
            #expect(await receive(payload("S-1", title: nil, badge: Badge(count: 2, revision: 1))) == .newData)
            await happens("the time is given back") { tasks.runningCount == 0 }
            #expect(tasks.granted == 2)
            #expect(await device.world.server.events.map(\.name).last == "push:received")
            #expect(await device.world.server.snapshots.count == former, "a registration waits until the app is shown")
            #expect(NotificationScreen.shared.read { $0.badge } == 2)
            #expect(await receive(foreignPayload) == .noData)
            _ = await device.end()
        }

        @Test("PUSH-7: a push that a process in front gets is recorded, too; a failed storage is said")
        func silentInFront() async throws {
            let device = try AppleDevice()
            try await device.open()
            #expect(await receive(payload("S-1", title: nil, sync: ["inApp"])) == .newData)
            #expect(try await device.pushEvents == ["push:received"])
            await device.client.stop()
            #expect(await receive(payload("S-2", title: nil)) == .failed)
        }

        @Test("REG-3: a process that a silent push has started is shown to nobody, and registers nothing")
        func launched() async throws {
            let device = try AppleDevice()
            try await device.client.start()
            #expect(await receive(payload("S-1", title: nil)) == .newData)
            await device.client.waitUntilIdle()
            #expect(try await device.client.state().appState == .backgroundWake)
            #expect(await device.world.server.snapshots.isEmpty)
            try await device.comeBack()
            try await device.client.flush()
            #expect(await device.world.server.snapshots.count == 1)
            _ = await device.end()
        }
    }
}
