import BelfryServerModel
import BelfryServices
import Synchronization
import Testing

@testable import BelfryConsole

/// Live pages whose browser goes while nothing changes (CON-7), by real sockets.
@Suite("Live pages that are closed in the middle", .timeLimit(.minutes(10)))
struct ClosedLiveTests {
    /// Whoever waits for the next look at a campaign: until nobody does any more, since the clock stands still.
    private final class Sleepers: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func wait() async throws {
            number.withLock { $0 += 1 }
            defer { number.withLock { $0 -= 1 } }
            let (stream, _) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            throw CancellationError()
        }
    }

    /// A campaign that was launched, and of which nothing is planned yet.
    private static func launched(_ story: CampaignStory, by marketer: Browser) async throws -> String {
        let id = try #require(try await story.compose(marketer))
        let page = "\(CampaignStory.list)/\(id)"
        let version = try await marketer.get(page).hidden("version")
        #expect(try await marketer.submit("\(page)/launch", ["version": version]).status == .seeOther)
        return page
    }

    /// A rehearsal that nobody carries out.
    private static func rehearsed(_ story: CampaignStory, by marketer: Browser) async throws -> String {
        let id = try #require(try await story.compose(marketer))
        let answer = try await marketer.submit("\(CampaignStory.list)/\(id)/rehearsals")
        return try #require(answer.headers[.location])
    }

    @Test(
        "CON-7, CON-12: however a live page goes, the server looks no more for it; the next one has what has changed",
        arguments: [LivePage.Close.finished, .reset, .half]
    )
    func goes(_ close: LivePage.Close) async throws {
        let sleepers = Sleepers()
        try await TestConsole.run(isListening: true, wait: sleepers.wait) { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let pages = [
                try await Self.launched(story, by: marketer), try await Self.rehearsed(story, by: marketer),
            ]
            for page in pages {
                for number in 0..<6 {
                    let text = try await LivePage.watch(
                        "\(page)/live", of: console, as: marketer, closing: close,
                        // At the first bytes, or once it waits for news.
                        until: { number.isMultiple(of: 2) || $0.contains("event: state\n") },
                        watching: { while !number.isMultiple(of: 2), sleepers.count == 0 { await Task.yield() } }
                    )
                    #expect(text.hasPrefix("HTTP/1.1 200 "), "\(page) \(number): \(text.prefix(300))")
                    while sleepers.count > 0 { await Task.yield() }
                }
            }
            _ = try await marketer.submit("\(pages[0])/pause")
            let text = try await LivePage.watch(
                "\(pages[0])/live", of: console, as: marketer, closing: close,
                until: { $0.contains("event: state\n") && $0.hasSuffix("\n\n\r\n") }
            )
            #expect(text.contains("Paused"), "\(text)")
        }
    }

    @Test("SEC-2, CON-7: a person's live page beyond their number is refused, until one of the others is closed")
    func tooMany() async throws {
        let sleepers = Sleepers()
        try await TestConsole.run(isListening: true, wait: sleepers.wait) { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let page = try await Self.launched(story, by: marketer)
            /// Opens so many beside each other, and one more.
            func open(_ count: Int) async throws {
                guard count > 0 else {
                    let rejected = try await marketer.get("\(page)/live")
                    #expect(rejected.status == .tooManyRequests)
                    return
                }
                let text = try await LivePage.watch(
                    "\(page)/live", of: console, as: marketer, closing: .finished,
                    until: { $0.contains("event: state\n") }, watching: { try await open(count - 1) }
                )
                #expect(text.hasPrefix("HTTP/1.1 200 "), "\(count): \(text.prefix(300))")
            }
            try await open(LivePlaces.maximumOfPerson)
            // The server hears of it a moment later.
            var next = ""
            while !next.hasPrefix("HTTP/1.1 200 ") {
                next = try await LivePage.watch(
                    "\(page)/live", of: console, as: marketer, closing: .finished, until: { $0.contains("\r\n\r\n") }
                )
            }
        }
    }

    /// Lets those who wait for the next look go on only when a test says so.
    private final class Gate: Sendable {
        private let state = Mutex((waiting: 0, isOpen: false))

        var isWaitedFor: Bool { waits > 0 }
        /// How often somebody has come to it.
        var waits: Int { state.withLock { $0.waiting } }

        func open() { state.withLock { $0.isOpen = true } }

        func wait() async throws {
            state.withLock { $0.waiting += 1 }
            while !state.withLock({ $0.isOpen }) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test("CON-3, CON-7, CON-12: a live page whose session has ended tells nothing more", arguments: [false, true])
    func sessionEnds(isRehearsal: Bool) async throws {
        let gate = Gate()
        try await TestConsole.run(isListening: true, wait: gate.wait) { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let page =
                isRehearsal
                ? try await Self.rehearsed(story, by: marketer) : try await Self.launched(story, by: marketer)
            async let watched = LivePage.watch(
                "\(page)/live", of: console, as: marketer, closing: .finished,
                until: { $0.hasSuffix("\r\n0\r\n\r\n") }
            )
            while !gate.isWaitedFor { await Task.yield() }
            let admin = try await story.person(.admin)
            try await console.services.users.setRole(.viewer, of: "marketer", in: story.app)
            #expect(try await admin.submit("\(page)/\(isRehearsal ? "cancel" : "pause")").status == .seeOther)
            gate.open()
            let text = try await watched
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("event: state\n"), "\(text.prefix(300))")
            #expect(!text.contains("Paused") && !text.contains("Cancelled"), "\(text)")
        }
    }

    @Test(
        "CON-3, CON-7, CON-12: the live page of a session that has ended is closed at the next look, news or not",
        arguments: [false, true])
    func closes(isRehearsal: Bool) async throws {
        let gate = Gate()
        try await TestConsole.run(isListening: true, wait: gate.wait) { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let page =
                isRehearsal
                ? try await Self.rehearsed(story, by: marketer) : try await Self.launched(story, by: marketer)
            async let watched = LivePage.watch(
                "\(page)/live", of: console, as: marketer, closing: .finished,
                until: { $0.hasSuffix("\r\n0\r\n\r\n") }
            )
            while !gate.isWaitedFor { await Task.yield() }
            try await console.services.users.setRole(.viewer, of: "marketer", in: story.app)
            gate.open()
            let text = try await watched
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("event: state\n"), "\(text.prefix(300))")
            #expect(gate.waits == 1)
        }
    }

    @Test("CON-7: a server that is to end does not wait for the live pages that are open")
    func ends() async throws {
        let sleepers = Sleepers()
        let (closed, isClosed) = AsyncStream.makeStream(of: String.self)
        try await TestConsole.run(isListening: true, wait: sleepers.wait) { console in
            let story = try await CampaignStory(console, devices: 2)
            let marketer = try await story.person(.marketer)
            let page = try await Self.launched(story, by: marketer)
            Task {
                let text = try? await LivePage.watch(
                    "\(page)/live", of: console, as: marketer, closing: .byServer, until: { _ in false }
                )
                isClosed.yield(text ?? "nothing")
                isClosed.finish()
            }
            while sleepers.count == 0 { await Task.yield() }
        }
        // The server has ended: it has said so to the page.
        for await text in closed { #expect(text.hasSuffix("0\r\n\r\n"), "\(text.suffix(200))") }
    }
}
