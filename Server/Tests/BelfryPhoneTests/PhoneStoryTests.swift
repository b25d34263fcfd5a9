import Belfry
import BelfryModel
import Foundation
import Testing

@testable import BelfryPhone

/// The phone with a server that is never reached: what the SDK does is on the device.
@Suite("A phone's day", .timeLimit(.minutes(10)))
struct PhoneStoryTests {
    @Test("CON-14: the app asks, the person allows, and what is tracked in airplane mode waits in the queue")
    func offline() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.unlock))
        await phone.perform(PhoneAction(.airplane, on: true))
        await phone.perform(PhoneAction(.open))
        await phone.perform(PhoneAction(.ask))
        #expect(await phone.view().isAsking)
        await phone.perform(PhoneAction(.answer, on: true))
        await phone.perform(PhoneAction(.buy, name: "runner"))
        await phone.perform(PhoneAction(.login, name: "ann"))
        let view = await phone.view()
        #expect(view.permission == .granted && !view.isAsking && !view.isOnline)
        #expect(view.app?.person == "ann" && view.app?.basket.map(\.sku) == ["runner"])
        let identity = await phone.says(of: "Identity").first
        #expect(identity == "The app has named a person; the server is still to link the device to them (ID-3).")
        let queue = await phone.says(of: "Event queue")
        #expect(queue.first?.hasPrefix("No event waits") == false, "\(queue)")
        await phone.end()
    }

    @Test(
        "CON-14: unlocking a phone that is unlocked leaves the app on its screen, and opening it again tells it nothing"
    )
    func pressedTwice() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        for kind in [PhoneAction.Kind.unlock, .open, .unlock, .open] { await phone.perform(PhoneAction(kind)) }
        let view = await phone.view()
        #expect(view.place == .app && view.process == .foreground)
        #expect(phone.notes.inspector.lines.filter { $0.text.hasPrefix("The person opens the app") }.count == 1)
        await phone.perform(PhoneAction(.lock))
        for kind in [PhoneAction.Kind.unlock, .unlock] { await phone.perform(PhoneAction(kind)) }
        #expect(await phone.view().place == .homeScreen)
        await phone.end()
    }

    @Test("CON-14: an app that asks without a network gets its token when there is one")
    func token() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.airplane, on: true))
        await phone.perform(PhoneAction(.open))
        await phone.perform(PhoneAction(.ask))
        await phone.perform(PhoneAction(.answer, on: true))
        func said(_ text: String) async -> Bool { phone.notes.inspector.lines.map(\.text).contains(text) }
        // The SDK asks in its own time.
        while await !said("The app gets its token when the phone has a network.") { await Task.yield() }
        #expect(await !said("APNs has given the app a token."))
        await phone.perform(PhoneAction(.airplane, on: false))
        while await !said("APNs has given the app a token.") { await Task.yield() }
        await phone.end()
    }

    @Test("CON-14: a killed app has lost its screen and nothing that the SDK had stored")
    func killed() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.airplane, on: true))
        await phone.perform(PhoneAction(.open))
        await phone.perform(PhoneAction(.login, name: "ben"))
        await phone.perform(PhoneAction(.buy, name: "lamp"))
        await phone.perform(PhoneAction(.kill))
        let dead = await phone.view()
        #expect(dead.process == .killed && dead.place == .homeScreen && dead.app == nil)
        await phone.perform(PhoneAction(.open))
        let view = await phone.view()
        #expect(view.app?.person == "ben" && view.app?.basket.isEmpty == true)
        await phone.end()
    }

    @Test("CON-14: a notification that comes while the app is shown is shown by the app, a tap opens what it names")
    func pushes() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.open))
        await phone.perform(PhoneAction(.ask))
        await phone.perform(PhoneAction(.answer, on: true))
        await phone.pushes.deliver(PhoneSystemTests.arrival("Hello", id: "1"))
        #expect(await phone.view().banner?.title == "Hello")
        await phone.perform(PhoneAction(.lock))
        await phone.pushes.deliver(PhoneSystemTests.arrival("Again", id: "2"))
        let locked = await phone.view()
        #expect(locked.notifications.map(\.title) == ["Again", "Hello"])
        await phone.perform(PhoneAction(.tap, number: try #require(locked.notifications.first?.id)))
        let view = await phone.view()
        #expect(view.place == .app && view.notifications.map(\.title) == ["Hello"])
        await phone.end()
    }

    @Test("CON-15: the inspector says that a message cannot be opened which the inbox does not have any more")
    func goneMessage() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.open))
        await phone.perform(PhoneAction(.message, name: "gone"))
        let lines = phone.notes.inspector.lines.map(\.text)
        #expect(lines.contains("The message cannot be opened: it is no longer in the inbox."), "\(lines)")
        #expect(await phone.view().app?.message == nil)
        await phone.end()
    }

    @Test("CON-15: the inspector says why an edit waits, and what cannot be done")
    func inspector() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.buy, name: "lamp"))
        #expect(phone.notes.inspector.lines.first?.text == "The app is not running. Open it first.")
        await phone.perform(PhoneAction(.airplane, on: true))
        await phone.perform(PhoneAction(.open))
        // The SDK hears of the network in its own time.
        var sentence: String?
        while sentence != "The change waits for the network." {
            sentence = await phone.says(of: "Registration").first
            await Task.yield()
        }
        await phone.perform(PhoneAction(.clock, seconds: 9e12))
        #expect(phone.notes.inspector.lines.first?.text == "The clock can be set up to a year back or ahead.")
        await phone.end()
    }
}

extension Phone {
    /// The inspector's sentences about a part of the SDK.
    func says(of title: String) async -> [String] {
        await inspectorView().sections.first { $0.title == title }?.lines ?? []
    }
}
