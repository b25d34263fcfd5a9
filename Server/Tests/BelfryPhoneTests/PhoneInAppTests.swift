import Belfry
import BelfryModel
import BelfryWire
import Foundation
import Synchronization
import Testing

@testable import BelfryPhone

/// In-app messages on the phone's screen, with a server that has them.
@Suite("In-app messages on a phone", .timeLimit(.minutes(10)))
struct PhoneInAppTests {
    private static let shown = "The in-app message of campaign c1 was shown."
    private static let opened = "The person opens the app; it was still in memory."

    /// A server that links devices and has the messages that a test publishes; it answers nothing else.
    private actor InAppServer: Transport {
        struct Lost: Error {}

        private var messages: [InAppMessageBody] = []

        func publish(_ message: InAppMessageBody) {
            messages.append(message)
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let path = request.path.prefix { $0 != "?" }
            // Without it the SDK takes a response for somebody else's.
            let headers = [HeaderNames.clientState: "state"]
            if path.hasSuffix("/client/contact") {
                let link = ContactLinkResponse(contactToken: "c", refreshToken: "r", contactReference: "ref")
                return TransportResponse(status: 200, headers: headers, body: try JSONEncoder().encode(link))
            }
            if path.hasSuffix("/client/in-app-messages") {
                let since = request.path.components(separatedBy: "since=").dropFirst().first.flatMap { Int($0) } ?? 0
                let news = InAppSyncResponse(cursor: "\(messages.count)", messages: Array(messages.dropFirst(since)))
                return TransportResponse(status: 200, headers: headers, body: try JSONEncoder().encode(news))
            }
            guard path.hasSuffix("/client") else { throw Lost() }
            return TransportResponse(status: 204, headers: headers)
        }
    }

    private static let inline = InAppMessageBody(
        id: "m1", version: 1, campaignId: "c1", type: .inline, viewId: "home", displayLimit: 5,
        content: InAppContent(title: "Hi")
    )

    private static func holds(_ condition: () async -> Bool) async throws {
        while await !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// The page of the inline message that the home screen shows.
    private static func inlinePage(of phone: Phone) async throws -> Int {
        try await holds { await phone.view().app?.inline != nil }
        return try #require(await phone.view().app?.inline)
    }

    /// A browser has loaded a page.
    private static func load(_ page: Int, on phone: Phone) async throws {
        let nonce = try #require(phone.screen.display(of: page)?.nonce)
        await phone.perform(PhoneAction(.page, value: #"{"nonce":"\#(nonce)","command":"loaded"}"#, number: page))
    }

    /// What has happened, the oldest first.
    private static func story(of phone: Phone) async -> [String] {
        phone.notes.inspector.lines.map(\.text).reversed()
    }

    private static func displays(on phone: Phone) async -> String? {
        await phone.inspectorView().inApp.first?.displays
    }

    @Test("CON-14, IAM-12: an inline message whose page is there while the phone is locked counts when it is opened")
    func locked() async throws {
        let server = InAppServer()
        await server.publish(Self.inline)
        let phone = Phone(number: 1, world: try .unreachable(transport: server))
        await phone.perform(PhoneAction(.open))
        let page = try await Self.inlinePage(of: phone)
        await phone.perform(PhoneAction(.lock))
        try await Self.load(page, on: phone)
        #expect(await Self.displays(on: phone) == "0 of 5 displays")
        await phone.perform(PhoneAction(.unlock))
        await phone.perform(PhoneAction(.open))
        #expect(await phone.view().app?.inline == page)
        try await Self.holds { await Self.story(of: phone).contains(Self.shown) }
        let story = await Self.story(of: phone)
        let opening = try #require(story.firstIndex(of: Self.opened))
        let display = try #require(story.firstIndex(of: Self.shown))
        #expect(opening < display)
        #expect(await Self.displays(on: phone) == "1 of 5 displays")
        await phone.end()
    }

    @Test("CON-14, IAM-12: an inline message that comes to a locked phone is shown once somebody opens the app")
    func woken() async throws {
        let server = InAppServer()
        let phone = Phone(number: 1, world: try .unreachable(transport: server))
        await phone.perform(PhoneAction(.open))
        try await Self.holds {
            await phone.says(of: "In-app messages").contains { $0.hasPrefix("The messages were fetched 0 s ago") }
        }
        await phone.perform(PhoneAction(.lock))
        await server.publish(Self.inline)
        let payload = Data(#"{"aps":{"content-available":1},"belfry":{"sid":"s1","sync":["inApp"]}}"#.utf8)
        await phone.pushes.deliver(
            PushArrival(payload: payload, id: "1", collapseID: nil, isBackground: true, expiresAt: nil, number: 1)
        )
        try await Self.holds { await phone.says(of: "In-app messages").first == "One is on the device." }
        #expect(await phone.process.session?.shop.state.inline == nil)
        await phone.perform(PhoneAction(.home))
        #expect(await phone.process.session?.shop.state.inline == nil)
        await phone.perform(PhoneAction(.open))
        try await Self.load(try await Self.inlinePage(of: phone), on: phone)
        try await Self.holds { await Self.story(of: phone).contains(Self.shown) }
        let story = await Self.story(of: phone)
        let opening = try #require(story.firstIndex(of: Self.opened))
        let display = try #require(story.firstIndex(of: Self.shown))
        #expect(opening < display)
        await phone.end()
    }

    @Test("CON-14, IAM-12: the home screen's own view goes with the home screen, and asks anew when it is back")
    func elsewhere() async throws {
        let server = InAppServer()
        await server.publish(Self.inline)
        let phone = Phone(number: 1, world: try .unreachable(transport: server))
        await phone.perform(PhoneAction(.open))
        let page = try await Self.inlinePage(of: phone)
        await phone.perform(PhoneAction(.tab, name: "products"))
        #expect(await phone.view().app?.inline == nil && phone.screen.display(of: page) == nil)
        await phone.perform(PhoneAction(.tab, name: "home"))
        let next = try #require(await phone.view().app?.inline)
        #expect(next != page)
        try await Self.load(next, on: phone)
        try await Self.holds { await Self.displays(on: phone) == "1 of 5 displays" }
        // The address that a push opens lies over it.
        await phone.process.session?.shop.open("shop://sale")
        try await Self.holds { await phone.view().app?.inline == nil }
        await phone.perform(PhoneAction(.closeLink))
        #expect(await phone.view().app?.inline != nil)
        await phone.perform(PhoneAction(.kill))
        #expect(phone.screen.view.inline == nil)
        await phone.end()
    }

    @Test("CON-14: a message that no browser could show is shown as soon as one shows the phone")
    func watched() async throws {
        let server = InAppServer()
        await server.publish(
            InAppMessageBody(
                id: "m1", version: 1, campaignId: "c1", type: .modal, trigger: InAppTrigger(event: "lamp:on"),
                displayLimit: 5, content: InAppContent(title: "Hi")
            )
        )
        let phone = Phone(number: 1, world: try .unreachable(transport: server))
        await phone.perform(PhoneAction(.open))
        try await Self.holds { await phone.says(of: "In-app messages").first == "One is on the device." }
        await phone.perform(PhoneAction(.track, name: "lamp:on"))
        let reason = "the app has no screen for it at the moment."
        try await Self.holds { await Self.story(of: phone).contains { $0.hasSuffix(reason) } }
        // In the meantime no time passes.
        let viewer = try #require(phone.viewers.watch())
        await phone.watched()
        try await Self.holds { phone.screen.view.overlay != nil }
        viewer.leave()
        await phone.end()
    }

    @Test("CON-14: a page whose browser has gone before it could be shown leaves nothing behind")
    func gone() async throws {
        let isWatched = Mutex(true)
        let screen = PhoneScreen(isWatched: { isWatched.withLock { $0 } }, changed: {})
        let message = InAppMessage(
            id: "1", campaignID: "c", type: .modal, trigger: InAppTrigger(event: "screen"), displayLimit: 1,
            displayCount: 0, content: InAppContent(title: "Sale")
        )
        let preparing = Task {
            try await screen.prepare(InAppDisplay(message: message, html: "<p>Sale</p>", nonce: "n"))
        }
        try await Self.holds { screen.view.overlay != nil }
        let page = try #require(screen.view.overlay?.number)
        screen.post(#"{"nonce":"n","command":"loaded"}"#, from: page)
        let presentation = try await preparing.value
        isWatched.withLock { $0 = false }
        #expect(await !presentation.present())
        #expect(screen.view.overlay == nil)
    }
}
