import BelfryInAppRenderer
import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

extension World {
    /// A started client that is linked to that contact and has fetched their messages.
    @discardableResult
    func startInApp(_ contact: String = "anna", inForeground: Bool = true) async throws -> BelfryClient {
        let client = try await start(inForeground: inForeground)
        try await client.identify(contactKey: contact)
        await client.waitUntilIdle()
        return client
    }

    /// The campaign of the message on the screen.
    var shownCampaign: String? { screen.onScreen?.message.campaignID }

    /// The app tracks an event, and everything that follows has come to rest.
    func track(_ name: String, _ attributes: [String: AttributeValue] = [:]) async throws {
        try await client.track(name, attributes: attributes)
        await settleScreen()
    }

    /// A message's steps to the screen, at which a test may hold it.
    enum Step { case loading, presenting }

    /// The app tracks an event whose message waits at a step until the turnstile is opened.
    func hold(_ step: Step, after name: String = "cart:add") async throws -> Turnstile {
        let turnstile = Turnstile()
        switch step {
        case .loading: screen.whenLoading { _ in await turnstile.pass() }
        case .presenting:
            screen.whenPresenting { _ in
                await turnstile.pass()
                return true
            }
        }
        try await client.track(name)
        await eventually("the page is on its way") { turnstile.count == 1 }
        return turnstile
    }

    /// The person does something that takes the message off the screen.
    func press(_ command: InAppBridgeCommand) async throws {
        let page = try #require(screen.onScreen)
        screen.send(command)
        await eventually("the message is gone") { self.screen.notes.closed.contains(page) }
        await settleScreen()
    }

    func settleScreen() async {
        // A device that has died has nothing left to do.
        try? await client.waitUntilIdle()
    }

    /// The attributes of the events of a name that the server has, in the order in which they came.
    func reported(_ name: EventName) async throws -> [[String: AttributeValue]] {
        try await client.flush()
        return await server.inAppEvents(name).map(\.attributes)
    }

    /// Why messages were not shown, as the server knows it.
    func notShown() async throws -> [String] {
        try await reported(.inAppNotShown).compactMap { attributes in
            guard case .string(let reason)? = attributes["reason"] else { return nil }
            return reason
        }
    }

    /// A foreground that is not the first: the app was away and is back.
    func comeBack(after seconds: TimeInterval) async throws {
        try await client.didEnterBackground()
        await settleScreen()
        clock.advance(by: seconds)
        try await client.didEnterForeground()
        await settleScreen()
    }
}

/// A push that announces in-app messages.
func inAppPush(_ sid: String, to tag: String? = nil) throws -> ReceivedPush {
    try #require(ReceivedPush(payload: PushPayload(sid: sid, to: tag, sync: [PushPayload.inAppSync])))
}

/// Says what a test lets it say, and notes what it is asked and told.
final class ScriptedDelegate: InAppMessageDelegate {
    struct Notes: Sendable {
        var asked: [String] = []
        var shown: [String] = []
        var closed: [InAppDismissal] = []
        var handled: [InAppAction] = []
    }

    private let answer: Locked<@Sendable (InAppMessage) async -> InAppDisplayDecision>
    private let handles: Bool
    private let noted = Locked(Notes())

    init(
        handles: Bool = false,
        _ answer: @escaping @Sendable (InAppMessage) async -> InAppDisplayDecision = { _ in .show }
    ) {
        self.handles = handles
        self.answer = Locked(answer)
    }

    var notes: Notes { noted.withLock { $0 } }

    func answers(_ answer: @escaping @Sendable (InAppMessage) async -> InAppDisplayDecision) {
        self.answer.withLock { $0 = answer }
    }

    func shouldShow(_ message: InAppMessage) async -> InAppDisplayDecision {
        noted.withLock { $0.asked.append(message.campaignID) }
        let answer = answer.withLock { $0 }
        return await answer(message)
    }

    func didShow(_ message: InAppMessage) async {
        noted.withLock { $0.shown.append(message.campaignID) }
    }

    func didClose(_ message: InAppMessage, how: InAppDismissal) async {
        noted.withLock { $0.closed.append(how) }
    }

    func handle(_ action: InAppAction, of message: InAppMessage) async -> Bool {
        noted.withLock { $0.handled.append(action) }
        return handles
    }
}

/// Lets those who come wait until it is opened.
final class Turnstile: Sendable {
    private let state = Locked<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    /// How many wait.
    var count: Int { state.withLock { $0.waiting.count } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
