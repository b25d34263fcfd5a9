import Belfry
import BelfryModel
import Foundation
import Testing

@testable import BelfryPhone

/// The phone with a server that is never reached: what the SDK does is on the device.
@Suite("A phone's day", .timeLimit(.minutes(1)))
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
        let queue = try #require(view.inspector.sections.first { $0.title == "Event queue" })
        #expect(queue.lines.first?.hasPrefix("No event waits") == false, "\(queue.lines)")
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
        await phone.deliver(PhoneSystemTests.arrival("Hello", id: "1"))
        #expect(await phone.view().app?.banner?.title == "Hello")
        await phone.perform(PhoneAction(.lock))
        await phone.deliver(PhoneSystemTests.arrival("Again", id: "2"))
        let locked = await phone.view()
        #expect(locked.notifications.map(\.title) == ["Again", "Hello"])
        await phone.perform(PhoneAction(.tap, number: try #require(locked.notifications.first?.id)))
        let view = await phone.view()
        #expect(view.place == .app && view.notifications.map(\.title) == ["Hello"])
        await phone.end()
    }

    @Test("CON-15: the inspector says why an edit waits, and what cannot be done")
    func inspector() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.buy, name: "lamp"))
        #expect(await phone.view().inspector.lines.first?.text == "The app is not running. Open it first.")
        await phone.perform(PhoneAction(.airplane, on: true))
        await phone.perform(PhoneAction(.open))
        // The SDK hears of the network in its own time.
        var sentence: String?
        while sentence != "The change waits for the network." {
            let sections = await phone.view().inspector.sections
            sentence = sections.first { $0.title == "Registration" }?.lines.first
            await Task.yield()
        }
        await phone.perform(PhoneAction(.clock, seconds: 9e12))
        #expect(await phone.view().inspector.lines.first?.text == "The clock can be set up to a year back or ahead.")
        await phone.end()
    }
}

/// The lines that the inspector keeps.
@Suite("What the inspector keeps")
struct InspectorTests {
    @Test("CON-15: requests are shown without secrets, and bounded")
    func exchanges() throws {
        let request = TransportRequest(
            method: "POST", path: "/v3", headers: [:],
            body: Data(#"{"pushToken":"abcdefghijklmnop","a":[{"token":"x"}]}"#.utf8)
        )
        let now = PhoneSystemTests.noon
        let exchange = Exchange(request, TransportResponse(status: 201), from: now, to: now.addingTimeInterval(0.25))
        let sent = try #require(exchange.sent)
        #expect(!sent.contains("abcdefghijklmnop") && sent.contains("abcdef…") && exchange.milliseconds == 250)
        var inspector = Inspector()
        for _ in 0..<500 {
            inspector.note(exchange)
            inspector.note(.app, "x", at: now)
        }
        #expect(inspector.exchanges.count == Inspector.maximumExchanges)
        #expect(inspector.lines.count == Inspector.maximumLines)
    }
}
