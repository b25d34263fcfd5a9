import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

struct PushTests {
    private let payload = #"""
        {"aps":{"alert":{"title":"Hello","body":"World"}},"city":"Paris",
         "belfry":{"sid":"S-1","campaign":"7","to":"mark","action":{"type":"openUrl","url":"https://example.com"},
                   "buttons":[{"id":"b1","text":"Later","action":{"type":"launchApp"}}]}}
        """#

    private func push(_ sid: String = "S-1") throws -> ReceivedPush {
        try #require(ReceivedPush(payload: PushPayload(sid: sid), title: "Hello", body: "World"))
    }

    @Test("PUSH-22: a push of Belfry's is read with all its fields")
    func reading() throws {
        let push = try #require(ReceivedPush(json: Data(payload.utf8)))
        #expect(push.payload.sid == "S-1")
        #expect(push.payload.campaign == "7")
        #expect(push.payload.to == "mark")
        #expect(push.title == "Hello")
        #expect(push.body == "World")
        #expect(!push.isSilent)
        #expect(push.action()?.url == "https://example.com")
        #expect(push.action(button: "b1")?.type == .launchApp)
        #expect(push.action(button: "none") == nil)
    }

    @Test("PUSH-22: FCM carries the object as text, next to a notification")
    func fcm() throws {
        let userInfo: [AnyHashable: Any] = [
            "belfry": #"{"sid":"S-2"}"#, "notification": ["title": "Hello", "body": "World"],
        ]
        let push = try #require(ReceivedPush(userInfo: userInfo))
        #expect(push.payload.sid == "S-2")
        #expect(push.title == "Hello")
    }

    @Test(
        "PUSH-22: a push of another sender is left alone",
        arguments: [
            "", "{", "[]", "{}", #"{"aps":{"alert":"Hi"}}"#, #"{"belfry":7}"#, #"{"belfry":"no JSON"}"#,
            #"{"belfry":{"campaign":"7"}}"#, #"{"belfry":{"sid":""}}"#,
        ])
    func foreign(json: String) async throws {
        #expect(ReceivedPush(json: Data(json.utf8)) == nil)
    }

    @Test("PUSH-22, SEC-6: a push whose parts are the same ones again and again is left alone")
    func endless() {
        // Written out, it has 268,435,456 numbers.
        var parts: Any = [0]
        for _ in 0..<28 { parts = [parts, parts] }
        let userInfo: [AnyHashable: Any] = ["belfry": ["sid": "S-1", "x": parts] as [String: Any]]
        let push = ReceivedPush(userInfo: userInfo)
        #expect(push == nil)
    }

    @Test("PUSH-22: hooks return false for other senders' pushes and record nothing")
    func foreignHooks() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        #expect(try await !client.handlePush(nil))
        #expect(try await !client.pushDisplayed(nil))
        #expect(try await !client.pushOpened(nil, button: "b1"))
        #expect(try await !client.pushDismissed(nil))
        #expect(try await client.state().queue.count == 0)
        #expect(ReceivedPush(payload: PushPayload(sid: String(repeating: "x", count: 129))) == nil)
        await world.kill()
    }

    @Test("PUSH-22: each kind is recorded once for each push, across restarts")
    func once() async throws {
        let world = try World()
        var client = try await world.start()
        for _ in 0..<3 {
            for sid in ["S-1", "S-2"] {
                #expect(try await client.handlePush(push(sid)))
                #expect(try await client.pushDisplayed(push(sid)))
                #expect(try await client.pushOpened(push(sid), button: sid == "S-2" ? "b1" : nil))
                #expect(try await client.pushDismissed(push(sid)))
            }
            client = try await world.restart()
        }
        try await client.flush()
        let events = await world.server.events.filter { $0.name.hasPrefix("push:") }
        let kinds = ["push:received", "push:displayed", "push:click", "push:dismiss"]
        #expect(events.map(\.name) == kinds + kinds)
        let main: [String: AttributeValue] = ["sid": "S-1", "origin": "main"]
        let button: [String: AttributeValue] = ["sid": "S-2", "origin": "button", "button_id": "b1"]
        #expect(events[2].attributes == main)
        #expect(events[6].attributes == button)
        await world.kill()
    }

    @Test("PUSH-22: where the app shows notifications itself, a push is shown once; a silent one never")
    func shownOnce() async throws {
        let world = try World()
        let screen = ShownPushes()
        let client = try await world.start(notifications: screen)
        for _ in 0..<3 {
            try await client.handlePush(push())
        }
        let silent = try #require(ReceivedPush(payload: PushPayload(sid: "silent")))
        try await client.handlePush(silent)
        try await client.flush()
        #expect(await screen.ids == ["S-1"])
        let names = await world.server.events.map(\.name).filter { $0.hasPrefix("push:") }
        #expect(names == ["push:received", "push:displayed", "push:received"])
        await world.kill()
    }

    @Test("PUSH-23: a push's events are sent when the app comes to the front, also after a force-close")
    func leaves() async throws {
        let world = try World()
        let client = try await world.start(inForeground: false)
        try await client.handlePush(push())
        try await client.pushDisplayed(push())
        await world.kill()
        world.clock.advance(by: 86_400)
        try await world.start().waitUntilIdle()
        let names = await world.server.events.map(\.name)
        #expect(names == ["push:received", "push:displayed", "app:start", "session:start"])
        #expect(await world.server.events[0].sessionID == nil)
        await world.kill()
    }

    @Test("PUSH-22: the number of remembered pushes is limited, and the newest are kept")
    func bounded() async throws {
        let world = try World()
        let client = try world.make()
        let count = PushSeenTable.maximumRemembered + 500
        for number in 0..<count {
            try await client.pushDisplayed(push("S-\(number)"))
        }
        let queued = try await client.state().queue.count
        #expect(queued == count)
        try await client.pushDisplayed(push("S-\(count - 1)"))
        try await client.pushDisplayed(push("S-600"))
        #expect(try await client.state().queue.count == count)
        // The oldest were forgotten, so this one counts again.
        try await client.pushDisplayed(push("S-0"))
        #expect(try await client.state().queue.count == count + 1)
        await world.kill()
    }

    @Test("ID-5: a push token is sent when the platform provides one, not again when it has not changed")
    func pushToken() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        #expect(try await client.setPushToken("not a token", environment: .production) != .accepted)
        for _ in 0..<3 {
            #expect(try await client.setPushToken(Data([0x0a, 0xbc, 0xff]), environment: .sandbox) == .accepted)
            await client.waitUntilIdle()
        }
        #expect(await world.server.count("PUT /client/push-token") == 1)
        #expect(await world.server.pushToken == "0abcff")
        let next = try await world.restart()
        try await next.setPushToken("0abcff", environment: .sandbox)
        await next.waitUntilIdle()
        #expect(await world.server.count("PUT /client/push-token") == 1)
        try await next.pushTokenRemoved()
        await next.waitUntilIdle()
        #expect(await world.server.pushToken == nil)
        #expect(await world.server.count("DELETE /client/push-token") == 1)
        await world.kill()
    }

    @Test("REG-27: a token that another device has registered is sent again, once, when a sync tells of it")
    func lostToken() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.setPushToken("0abcff", environment: .sandbox)
        await client.waitUntilIdle()
        await world.server.loseToken()
        for _ in 0..<2 {
            try await client.engine.inApp.refresh()
            await client.waitUntilIdle()
            #expect(await world.server.pushToken == "0abcff")
            #expect(await world.server.count("PUT /client/push-token") == 2)
        }
        // Without permission there is no token to send.
        try await client.setPushPermission(false)
        await client.waitUntilIdle()
        await world.server.loseToken()
        try await client.engine.inApp.refresh()
        await client.waitUntilIdle()
        #expect(await world.server.count("PUT /client/push-token") == 2)
        await world.kill()
    }

    @Test("REG-30: no token is reported while the operating system denies permission")
    func permission() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.setPushPermission(false)
        try await client.setPushToken("0abcff", environment: .production)
        try await client.flush()
        try await world.advance(by: 120)
        #expect(await world.server.pushToken == nil)
        #expect(await world.server.snapshots.allSatisfy { $0.pushToken == nil })
        #expect(await world.server.snapshots.last?.osPushEnabled == false)
        try await client.setPushPermission(true)
        try await client.flush()
        #expect(await world.server.pushToken == "0abcff")
        await world.kill()
    }
}
