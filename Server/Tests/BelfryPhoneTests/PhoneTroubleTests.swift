import Belfry
import BelfryModel
import Foundation
import Testing

@testable import BelfryPhone

@Suite("A phone whose world fails", .timeLimit(.minutes(10)))
struct PhoneTroubleTests {
    private static func registered(_ service: ScriptedPushService) async throws -> Phone {
        let phone = Phone(number: 1, world: try .unreachable(service))
        await phone.perform(PhoneAction(.open))
        await phone.perform(PhoneAction(.ask))
        await phone.perform(PhoneAction(.answer, on: true))
        while await !service.isHeard { await Task.yield() }
        return phone
    }

    private static func happens(_ text: String, on phone: Phone) async {
        while !phone.notes.inspector.lines.contains(where: { $0.text.contains(text) }) { await Task.yield() }
    }

    @Test("CON-15: the inspector says that the server does not answer, and since when")
    func server() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.open))
        while await !phone.says(of: "The app").contains(where: { $0.hasPrefix("The server has not answered for 0 s") })
        {
            await Task.yield()
        }
        await phone.end()
    }

    @Test("CON-15: a push service that does not answer is told, and so is its return; what it kept comes then")
    func pushService() async throws {
        let service = ScriptedPushService()
        let phone = try await Self.registered(service)
        await phone.perform(PhoneAction(.lock))
        await service.tell(.lost)
        await Self.happens("The push service does not answer.", on: phone)
        #expect(await phone.says(of: "The app").contains("The push service does not answer: pushes come when it does."))
        await service.tell(.back)
        await service.tell(.arrived(PhoneSystemTests.arrival("Kept", id: "1")))
        await Self.happens("The push “Kept” is on the lock screen.", on: phone)
        #expect(await phone.view().notifications.map(\.title) == ["Kept"])
        #expect(await phone.says(of: "The app").allSatisfy { !$0.contains("push service") })
        await phone.end()
    }

    @Test(
        "CON-14: an app whose token the push service has forgotten, or that has lost it, gets another when it starts again"
    )
    func tokens() async throws {
        let service = ScriptedPushService()
        let phone = try await Self.registered(service)
        await service.tell(.tokenUnknown)
        await Self.happens("no longer knows this phone's token", on: phone)
        await phone.perform(PhoneAction(.kill))
        await phone.perform(PhoneAction(.open))
        while await service.tokens.count < 2 { await Task.yield() }
        while await !service.isHeard { await Task.yield() }
        await phone.perform(PhoneAction(.tokenLost))
        await Self.happens("APNs rejects the app's token from now on.", on: phone)
        #expect(await service.retired == service.tokens.suffix(1))
        await phone.perform(PhoneAction(.tokenLost))
        #expect(phone.notes.inspector.lines.first?.text == "The app has no push token that could be lost.")
        await phone.perform(PhoneAction(.kill))
        await phone.perform(PhoneAction(.open))
        while await service.tokens.count < 3 { await Task.yield() }
        await phone.end()
    }

    @Test(
        "CON-14: a token is lost when the push service has heard of it, and until then the phone hears what comes for it"
    )
    func unheardLoss() async throws {
        let service = ScriptedPushService()
        let phone = try await Self.registered(service)
        await service.setReached(false)
        await phone.perform(PhoneAction(.tokenLost))
        await Self.happens("The push service does not answer, so the app's token is not lost. Try it again.", on: phone)
        await phone.perform(PhoneAction(.lock))
        await service.tell(.arrived(PhoneSystemTests.arrival("Still here", id: "1")))
        await Self.happens("The push “Still here” is on the lock screen.", on: phone)
        await service.setReached(true)
        await phone.perform(PhoneAction(.tokenLost))
        await Self.happens("APNs rejects the app's token from now on.", on: phone)
        let (retired, tokens) = await (service.retired, service.tokens)
        #expect(retired == tokens && tokens.count == 1)
        await phone.end()
    }

    @Test("CON-14: a phone that is switched off while its app waits for a token listens to none")
    func lateToken() async throws {
        let service = ScriptedPushService()
        let connection = PhonePushConnection(service: service) { _, _ in }
        await service.hold()
        let asking = Task { try await connection.token() }
        while await !service.isAsked { await Task.yield() }
        await connection.end()
        await service.release()
        await #expect(throws: PhoneActionError.self) { try await asking.value }
        let (isHeard, hasToken) = await (service.isHeard, connection.hasToken)
        #expect(!isHeard && !hasToken)
    }

    @Test("CON-14: a phone that is switched off starts no app again, whatever was pressed")
    func off() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.open))
        await phone.end()
        await phone.perform(PhoneAction(.open))
        let view = await phone.view()
        #expect(view.process == .notRunning && view.app == nil)
        await Self.happens("The phone is switched off.", on: phone)
    }

    @Test("CON-14: actions that wait for each other are bounded, and a page's posts wait for nothing")
    func actions() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let first = Task { await phone.actions.perform { for await _ in ends {} } }
        // It takes its time; the others wait for it.
        while await phone.actions.waiting == 0 { await Task.yield() }
        let waiting =
            [first]
            + (1..<ActionQueue.maximumWaiting).map { _ in Task { await phone.perform(PhoneAction(.unlock)) } }
        // Every one of them waits, or is refused because all the others do.
        while await phone.perform(PhoneAction(.page, value: "{}", number: 1)),
            await phone.actions.waiting < waiting.count
        {
            await Task.yield()
        }
        #expect(await !phone.perform(PhoneAction(.lock)))
        end.finish()
        for task in waiting { #expect(await task.value) }
        #expect(await phone.perform(PhoneAction(.lock)))
        await phone.end()
    }

    @Test("CON-14: a page that shows the passing time wakes no other page")
    func ticks() async throws {
        let viewers = Viewers()
        let one = try #require(viewers.watch())
        let other = try #require(viewers.watch())
        var mine = one.changes.makeAsyncIterator()
        var others = other.changes.makeAsyncIterator()
        // The present state is there at first.
        _ = await mine.next()
        _ = await others.next()
        one.signal()
        let news: Void? = await mine.next()
        #expect(news != nil)
        other.leave()
        let nothing: Void? = await others.next()
        #expect(nothing == nil)
    }

    @Test("CON-14: pages that show one phone are bounded; a page that is closed makes room")
    func viewers() async {
        let viewers = Viewers()
        let all = (0..<Viewers.maximum).map { _ in viewers.watch() }
        #expect(all.allSatisfy { $0 != nil } && viewers.watch() == nil)
        all.last??.leave()
        var next = viewers.watch()
        #expect(next != nil)
        // A stream that nobody reads any more is that of a page that is gone, too.
        next = nil
        #expect(viewers.watch() != nil)
        #expect(!viewers.isEmpty)
    }
}
