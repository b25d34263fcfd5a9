import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// The app's calls about in-app messages: which are on the device, and how they are shown (IAM-7, IAM-12).
struct InAppCoordinator: Sendable {
    let engine: DeviceEngine

    var isPaused: Bool {
        get async throws(BelfryError) {
            try await engine.read { step throws(BelfryError) in
                _ = try step.store
                return step.process.inApp.isPaused
            }
        }
    }

    /// The pause ends with the process. A message on the screen stays.
    func setPaused(_ isPaused: Bool) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.process.inApp.isPaused != isPaused else { return }
            step.process.inApp.isPaused = isPaused
            if isPaused { try Self.withdrawPresenting(in: &step) } else { step.state.inApp.endDeferrals() }
            step.then(.wakeInApp)
        }
    }

    /// A message that is being put on the screen when display is paused waits for the end of the pause, and does not
    /// count.
    private static func withdrawPresenting(in step: inout DeviceStep) throws(BelfryError) {
        guard let presentation = step.process.inApp.presentation, presentation.step == .presenting else { return }
        step.state.inApp.rebase(to: step.now)
        let situation = try InAppMachine.situation(in: &step)
        let decision = step.state.inApp.screenMissing(presentation.id, at: step.now, in: situation)
        try InAppMachine.add(decision.map { [$0] } ?? [], to: &step)
        step.endPresentation(.paused)
        step.then(.wake)
    }

    func setDelegate(_ delegate: (any InAppMessageDelegate)?) async {
        await engine.update { process, _ in process.inApp.delegate = delegate }
    }

    /// The messages that may still be shown, the next to be shown first.
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

    /// Fetches now, and returns when the response is stored.
    func refresh() async throws(InAppError) {
        try await checkPresent()
        try await engine.step(orThrow: InAppError.init) { step throws(BelfryError) in InAppMachine.want(in: &step) }
        do throws(MessageCenterError) {
            _ = try await engine.ask(.fetchInApp)
        } catch {
            throw InAppError(error)
        }
    }

    /// Shows a message by its id, and returns once it is on the screen.
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
        case .load(let presentationID)?:
            guard engine.process.inApp.presentation?.id == presentationID else { throw .notShown(.loadFailed) }
            let reason = await withCheckedContinuation { engine.process.inApp.presentation?.askers.append($0) }
            if let reason { throw .notShown(reason) }
        default: break
        }
    }

    /// - Returns: nil when there is no such message.
    private static func ask(for id: String, in step: inout DeviceStep) throws(BelfryError) -> InAppDecision? {
        guard let candidate = try InAppMachine.cache(in: &step).candidate(id) else { return nil }
        step.state.inApp.rebase(to: step.now)
        let situation = try InAppMachine.situation(in: &step)
        let policy = step.configuration.inApp.policy
        let decision = step.state.inApp.asked(for: candidate, at: step.now, in: situation, policy: policy)
        try InAppMachine.add([decision], to: &step)
        step.then(.wake)
        return decision
    }

    /// - Throws: if the client is suspended or stopped.
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

extension InAppCoordinator {
    /// - Returns: nil when there is no message for the view.
    func inlineMessage(_ viewID: String) async throws(InAppError) -> InlineMessage? {
        try await checkPresent()
        return try await engine.step(orThrow: InAppError.init) { step throws(BelfryError) in
            InAppMachine.want(in: &step)
            return try InlineMachine.find(viewID, in: &step)
        }
    }

    func inlineShown(_ inlineID: Int) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in try InlineMachine.shown(inlineID, in: &step) }
    }

    func inlineClosed(_ inlineID: Int) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in try InlineMachine.closed(inlineID, in: &step) }
    }

    /// - Returns: whether the message has ended, so that its view removes it.
    func inlineSaid(_ command: InAppBridgeCommand, _ inlineID: Int) async throws(BelfryError) -> Bool {
        try await engine.step { step throws(BelfryError) in try InlineMachine.said(command, inlineID, in: &step) }
    }

    /// Returns when the message must disappear because it was recalled or closed, or its person has left. Also returns
    /// when the task is cancelled, or the client stops.
    func inlineEnded(_ inlineID: Int) async {
        let ends = engine.feeds.inlineEnds.listen()
        guard await engine.process.inApp.inlines[inlineID] != nil else { return }
        for await inlineIDs in ends where inlineIDs.contains(inlineID) {
            return
        }
    }
}

extension InAppError {
    static let notStarted = InAppError(.notRunning, "The client is not running. Start it first.")
    static let unknownMessage = InAppError(.unknownMessage, "The device has no such message for this person.")

    /// The error for a call that had to wait for the server.
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
