import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// In-app messages as the app sees them: what is on the device, and what it may say about it (IAM-7, IAM-12).
struct InAppController: Sendable {
    let engine: DeviceEngine

    var isPaused: Bool {
        get async throws(BelfryError) {
            try await engine.look { step throws(BelfryError) in
                _ = try step.store
                return step.process.inApp.isPaused
            }
        }
    }

    /// It ends with the process. What is on the screen stays.
    func setPaused(_ isPaused: Bool) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.process.inApp.isPaused != isPaused else { return }
            step.process.inApp.isPaused = isPaused
            if isPaused { try Self.withdrawPresenting(in: &step) } else { step.state.inApp.endDeferrals() }
            step.then(.wakeInApp)
        }
    }

    /// What is being put on the screen when display is paused waits for its end, and does not count.
    private static func withdrawPresenting(in step: inout DeviceStep) throws(BelfryError) {
        guard let showing = step.process.inApp.showing, showing.step == .presenting else { return }
        step.state.inApp.rebase(to: step.now)
        let situation = try InAppMachine.situation(in: &step)
        let decision = step.state.inApp.screenMissing(showing.ticket, at: step.now, in: situation)
        try InAppMachine.add(decision.map { [$0] } ?? [], to: &step)
        step.endShowing(.paused)
        step.then(.wake)
    }

    func setDelegate(_ delegate: (any InAppMessageDelegate)?) async {
        await engine.update { process, _ in process.inApp.delegate = delegate }
    }

    /// Those that may still be shown, the next to be shown first.
    func messages() async throws(BelfryError) -> [InAppMessage] {
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.rest == nil else { return [] }
            InAppMachine.want(in: &step)
            let situation = try InAppMachine.situation(in: &step)
            let rules = step.state.inApp
            let spent = Set(rules.spent(at: step.now, in: situation).map(\.id))
            return try step.store.inAppMessages()
                .filter { !spent.contains($0.id) }
                .sorted { InAppCandidate.comesFirst($0.candidate, $1.candidate) }
                .map { InAppMachine.message($0, rules) }
        }
    }

    /// Asks the server now, and returns when its answer is stored.
    func refresh() async throws(InAppError) {
        try await checkPresent()
        try await engine.step(orThrow: InAppError.init) { step throws(BelfryError) in InAppMachine.want(in: &step) }
        do throws(MessageCenterError) {
            _ = try await engine.ask(.fetchInApp)
        } catch {
            throw InAppError(error)
        }
    }

    /// Shows a message that the app asks for, and returns once it is on the screen.
    func show(_ id: String) async throws(InAppError) {
        try await Self.show(id, on: engine)
    }

    private static func show(_ id: String, on engine: isolated DeviceEngine) async throws(InAppError) {
        try checkPresent(on: engine)
        guard engine.process.isRunning else { throw .notStarted }
        let decision = try engine.step(orThrow: InAppError.init) { step throws(BelfryError) in
            try ask(for: id, in: &step)
        }
        switch decision {
        case nil: throw .unknownMessage
        case .notShown(let finding)?: throw .notShown(finding.reason)
        case .load(let ticket)?:
            guard engine.process.inApp.showing?.ticket == ticket else { throw .notShown(.loadFailed) }
            let reason = await withCheckedContinuation { engine.process.inApp.showing?.askers.append($0) }
            if let reason { throw .notShown(reason) }
        default: break
        }
    }

    /// - Returns: nil when there is no such message.
    private static func ask(for id: String, in step: inout DeviceStep) throws(BelfryError) -> InAppDecision? {
        guard let candidate = try InAppMachine.shelf(in: &step).candidate(id) else { return nil }
        step.state.inApp.rebase(to: step.now)
        let situation = try InAppMachine.situation(in: &step)
        let policy = step.configuration.inApp.policy
        let decision = step.state.inApp.asked(for: candidate, at: step.now, in: situation, policy: policy)
        try InAppMachine.add([decision], to: &step)
        step.then(.wake)
        return decision
    }

    /// - Throws: for a client that rests or was stopped.
    private func checkPresent() async throws(InAppError) {
        try await Self.checkPresent(on: engine)
    }

    private static func checkPresent(on engine: isolated DeviceEngine) throws(InAppError) {
        do throws(MessageCenterError) {
            _ = try engine.presentState()
        } catch {
            throw InAppError(error)
        }
    }
}

// MARK: - Inline messages

extension InAppController {
    /// - Returns: nil when there is nothing to show there.
    func inlineMessage(_ viewID: String) async throws(InAppError) -> InlineMessage? {
        try await checkPresent()
        return try await engine.step(orThrow: InAppError.init) { step throws(BelfryError) in
            InAppMachine.want(in: &step)
            return try InlineMachine.find(viewID, in: &step)
        }
    }

    func inlineShown(_ ticket: Int) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in try InlineMachine.shown(ticket, in: &step) }
    }

    func inlineClosed(_ ticket: Int) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in try InlineMachine.closed(ticket, in: &step) }
    }

    /// - Returns: whether the message is over: its view goes.
    func inlineSaid(_ command: InAppBridgeCommand, _ ticket: Int) async throws(BelfryError) -> Bool {
        try await engine.step { step throws(BelfryError) in try InlineMachine.said(command, ticket, in: &step) }
    }

    /// Returns when it is not to be seen any more: it was recalled or closed, or its person has left. Also when the
    /// task is cancelled, or the client stops.
    func inlineEnded(_ ticket: Int) async {
        let ends = engine.feeds.inlineEnds.listen()
        guard await engine.process.inApp.inlines[ticket] != nil else { return }
        for await tickets in ends where tickets.contains(ticket) {
            return
        }
    }
}

extension InAppError {
    static let notStarted = InAppError(.notRunning, "The client does not run; start it first.")
    static let unknownMessage = InAppError(.unknownMessage, "The device has no such message for this person.")

    /// What a call that had to wait for the server ended with.
    init(_ error: MessageCenterError) {
        let code: Code =
            switch error.code {
            case .noNetwork, .emptyResponse: .noNetwork
            case .tooManyRequests, .serverUnavailable: .serverUnavailable
            case .noContact: .noContact
            case .invalidURL: .notRunning
            case .resting: .resting
            case .stopped: .stopped
            case .storageUnavailable: .storageUnavailable
            case .cancelled: .cancelled
            default: .refused
            }
        self.init(code, error.message)
    }
}
