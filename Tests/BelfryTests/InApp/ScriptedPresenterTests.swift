import BelfryInAppRenderer
import BelfryModel
import Testing

@testable import Belfry

/// The screen of the other tests, and of apps' own.
@Suite(.timeLimit(.minutes(10)))
struct ScriptedPresenterTests {
    private struct Fault: Error {}

    private func page(_ id: String) -> InAppDisplay {
        let message = InAppMessage(id: id, campaignID: "1", type: .modal, content: InAppContent(title: "Hello"))
        return InAppDisplay(message: message, html: "<p>Hello</p>", nonce: "once")
    }

    private func commands(of presentation: any InAppPresentation) async -> [InAppBridgeCommand] {
        var heard: [InAppBridgeCommand] = []
        for await command in presentation.commands {
            heard.append(command)
        }
        return heard
    }

    @Test("IAM-12: a loaded page is not visible before it is presented, and is gone when it is closed")
    func steps() async throws {
        let screen = ScriptedInAppPresenter { page in [.click(buttonID: page.message.id)] }
        let presentation = try await screen.prepare(page("a"))
        #expect(screen.onScreen == nil && screen.notes.prepared.count == 1)
        #expect(await presentation.present())
        #expect(screen.onScreen?.message.id == "a")
        #expect(screen.send(.close(.swipe)))
        await presentation.close()
        #expect(screen.onScreen == nil && screen.notes.closed.count == 1)
        #expect(!screen.send(.close(.close)))
        let heard = await commands(of: presentation)
        #expect(heard == [.click(buttonID: "a"), .close(.swipe)])
    }

    @Test("IAM-8: a page may fail to load, or find no screen; then nothing of it was on the screen")
    func faults() async throws {
        let screen = ScriptedInAppPresenter()
        screen.whenLoading { _ in throw Fault() }
        await #expect(throws: Fault.self) { try await screen.prepare(page("a")) }
        screen.whenLoading(nil)
        screen.whenPresenting { _ in false }
        let presentation = try await screen.prepare(page("b"))
        let isShown = await presentation.present()
        #expect(!isShown && screen.onScreen == nil && screen.notes.presented.isEmpty)
        #expect(screen.notes.prepared.map(\.message.id) == ["a", "b"])
    }

    @Test("IAM-12: a long simulation keeps the newest pages, and no more")
    func longSimulation() async throws {
        let screen = ScriptedInAppPresenter()
        let most = ScriptedInAppPresenter.Notes.most
        for number in 0...most {
            let presentation = try await screen.prepare(page("\(number)"))
            _ = await presentation.present()
            await presentation.close()
        }
        let notes = screen.notes
        for pages in [notes.prepared, notes.presented, notes.closed] {
            #expect(pages.count == most && pages.last?.message.id == "\(most)")
        }
    }

    @Test("IAM-6: two pages at once are noticed, and the system removes both without a command")
    func twoAtOnce() async throws {
        let screen = ScriptedInAppPresenter()
        var presentations: [any InAppPresentation] = []
        for id in ["a", "b"] {
            let presentation = try await screen.prepare(page(id))
            _ = await presentation.present()
            presentations.append(presentation)
        }
        #expect(screen.notes.mostAtOnce == 2)
        screen.clearScreen()
        for presentation in presentations {
            let heard = await commands(of: presentation)
            #expect(heard.isEmpty)
        }
        #expect(screen.onScreen == nil && screen.notes.closed.isEmpty)
    }
}
