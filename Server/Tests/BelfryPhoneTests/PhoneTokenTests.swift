import Belfry
import BelfryModel
import Foundation
import Testing

@testable import BelfryPhone

/// The app's push token while the push service is gone, or does not answer.
@Suite("A phone's push token", .timeLimit(.minutes(10)))
struct PhoneTokenTests {
    private static let installed = [PhoneAction(.open), PhoneAction(.ask), PhoneAction(.answer, on: true)]
    private static let owed = "The push service gives the app no token yet. The phone asks again by itself."

    private static func perform(_ actions: [PhoneAction], on phone: Phone) async {
        for action in actions { await phone.perform(action) }
    }

    private static func happens(_ text: String, on phone: Phone) async throws {
        while !phone.notes.inspector.lines.contains(where: { $0.text == text }) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private static func holds(_ condition: () async -> Bool) async throws {
        while await !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("CON-14: an app that asks for its token while the push service is gone gets it when the service is back")
    func later() async throws {
        let service = ScriptedPushService()
        await service.setReached(false)
        let sleepers = PhoneWorld.Sleepers()
        let phone = Phone(number: 1, world: try .unreachable(service, sleepers: sleepers))
        await Self.perform(Self.installed, on: phone)
        try await Self.happens(Self.owed, on: phone)
        let waits = "The app has asked for a push token: it gets it as soon as the push service gives one."
        #expect(await phone.says(of: "The app").contains(waits))
        // It asks again and again, and says so once.
        try await Self.holds {
            sleepers.pass(1)
            return await service.asked >= 4
        }
        #expect(phone.notes.inspector.lines.filter { $0.text == Self.owed }.count == 1)
        await service.setReached(true)
        try await Self.holds {
            sleepers.pass(1)
            return phone.system.current.pushToken != nil
        }
        try await Self.holds { await service.isHeard }
        try await Self.holds { await !phone.says(of: "The app").contains(waits) }
        let (tokens, token) = await (service.tokens, phone.system.current.pushToken)
        #expect(tokens.count == 1 && token == tokens.first)
        await phone.end()
    }

    @Test("CON-14: an app that was killed while it waited for its token gets one when it is opened again")
    func killed() async throws {
        let service = ScriptedPushService()
        await service.setReached(false)
        let phone = Phone(number: 1, world: try .unreachable(service))
        await Self.perform(Self.installed, on: phone)
        try await Self.happens(Self.owed, on: phone)
        await phone.perform(PhoneAction(.kill))
        #expect(await phone.says(of: "The app").allSatisfy { !$0.contains("push token") })
        await service.setReached(true)
        await phone.perform(PhoneAction(.open))
        try await Self.holds { phone.system.current.pushToken != nil }
        #expect(await service.tokens.count == 1)
        await phone.end()
    }

    private struct NoService: PhonePushService {
        func issueToken() async throws -> String { throw PushServiceMissing() }
        func retire(_ token: String) async throws {}
        func news(for token: String, after newest: Int) -> AsyncStream<PushServiceNews> {
            AsyncStream { $0.finish() }
        }
    }

    @Test("CON-14: a phone without a push service says so, and asks no more")
    func missing() async throws {
        let phone = Phone(number: 1, world: try .unreachable(NoService()))
        await Self.perform(Self.installed, on: phone)
        try await Self.happens(
            "This phone has no push service. Start it with --push-control to give it one.", on: phone
        )
        #expect(await !phone.tokens.isWanted)
        await phone.end()
    }

    @Test("CON-14: a push service that hangs holds up nothing that a person does")
    func hangs() async throws {
        let service = ScriptedPushService()
        let phone = Phone(number: 1, world: try .unreachable(service))
        await Self.perform(Self.installed, on: phone)
        try await Self.holds { await service.isHeard }
        await service.hold()
        await phone.perform(PhoneAction(.tokenLost))
        try await Self.holds { await service.isAsked }
        await phone.perform(PhoneAction(.lock))
        #expect(await phone.view().place == .lockScreen)
        await phone.perform(PhoneAction(.tokenLost))
        try await Self.happens("The push service is still being told that the app's token is lost.", on: phone)
        await Self.perform([PhoneAction(.reinstall)] + Self.installed, on: phone)
        let view = await phone.view()
        #expect(view.permission == .granted && view.place == .app && view.app != nil)
        await service.release()
        try await Self.happens("APNs rejects its former token from now on.", on: phone)
        try await Self.holds { phone.system.current.pushToken != nil }
        let (tokens, retired) = await (service.tokens, service.retired)
        #expect(tokens.count == 2 && retired.allSatisfy { $0 == tokens[0] })
        #expect(phone.system.current.pushToken == tokens[1])
        await phone.end()
    }

    @Test("CON-14: an app that is installed anew while the push service is gone gets a new token when it is back")
    func reinstalled() async throws {
        let directory = PhoneWorld.newDirectory
        defer { try? FileManager.default.removeItem(at: directory) }
        let service = ScriptedPushService()
        let first = Phone(number: 1, world: try .unreachable(service, directory: directory))
        await Self.perform(Self.installed, on: first)
        try await Self.holds { await service.isHeard }
        await service.setReached(false)
        await first.perform(PhoneAction(.reinstall))
        try await Self.happens(
            "The push service does not answer: until it does, it does not know that the app was deleted.", on: first
        )
        // What still comes for the deleted app is nobody's.
        await service.tell(.arrived(PhoneSystemTests.arrival("For nobody", id: "1")))
        await Self.perform(Self.installed, on: first)
        try await Self.happens(Self.owed, on: first)
        #expect(first.system.current.pushToken == nil)
        #expect(await first.view().notifications.isEmpty)
        await first.end()

        // The phones' program is started anew, and the push service is still gone.
        let sleepers = PhoneWorld.Sleepers()
        let second = Phone(number: 1, world: try .unreachable(service, directory: directory, sleepers: sleepers))
        await second.switchOn()
        await second.perform(PhoneAction(.open))
        try await Self.happens(Self.owed, on: second)
        await service.setReached(true)
        try await Self.holds {
            sleepers.pass(1)
            return second.system.current.formerTokens.isEmpty
        }
        try await Self.holds {
            sleepers.pass(1)
            return second.system.current.pushToken != nil
        }
        let (tokens, retired) = await (service.tokens, service.retired)
        #expect(tokens.count == 2 && retired == [tokens[0]])
        #expect(second.system.current.pushToken == tokens[1])
        await second.end()
    }

    @Test("CON-14: a token that is lost on its way to the phone is none; a push that was kept for it goes with it")
    func lost() {
        var system = PhoneSystem()
        system.permission = .granted
        let isFirstTaken = system.take(pushToken: "a")
        #expect(isFirstTaken && system.pushToken == "a")
        system.isOnline = false
        _ = system.receive(PhoneSystemTests.arrival(id: "1", number: 50), now: PhoneSystemTests.noon)
        #expect(system.held != nil)
        system.lose(pushToken: "a")
        #expect(system.pushToken == nil && system.held == nil)
        let isLostOneTaken = system.take(pushToken: "a")
        let isNextTaken = system.take(pushToken: "b")
        #expect(!isLostOneTaken && isNextTaken && system.newestPush == 0)
        // A loss that is told late is not that of the next token.
        system.lose(pushToken: "a")
        #expect(system.pushToken == "b")
        system.hasPushService = false
        system.forgetApp()
        #expect(system.formerTokens == ["b"] && system.pushToken == nil && system.hasPushService)
        let isFormerOneTaken = system.take(pushToken: "b")
        #expect(!isFormerOneTaken)
        for number in 0..<50 {
            _ = system.take(pushToken: "c\(number)")
            system.forgetApp()
        }
        #expect(system.formerTokens.count == PhoneSystem.maximumFormerTokens && system.formerTokens.last == "c49")
        system.retired("c49")
        #expect(system.formerTokens.last == "c48")
    }
}
