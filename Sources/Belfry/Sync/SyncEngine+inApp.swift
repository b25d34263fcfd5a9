import BelfryModel
import BelfryRules
import Foundation

/// In-app messages as the app sees them: what is on the device, and what it may say about it (IAM-7).
extension SyncEngine {
    var isInAppPaused: Bool {
        get throws(BelfryError) {
            _ = try storage.opened()
            return inApp.isPaused
        }
    }

    /// It ends with the process. What is on the screen stays.
    func setInAppPaused(_ isPaused: Bool) throws(BelfryError) {
        _ = try storage.opened()
        guard inApp.isPaused != isPaused else { return }
        if !isPaused {
            var draft = try begun()
            draft.state.inApp.endDeferrals()
            try commit(draft)
        } else {
            try withdrawPresenting()
        }
        inApp.isPaused = isPaused
        storage.triggers.waker.wake()
    }

    /// What is being put on the screen when display is paused waits for its end, and does not count.
    private func withdrawPresenting() throws(BelfryError) {
        guard let showing = inApp.showing, showing.step == .presenting else { return }
        let now = environment.now()
        var draft = try begun()
        draft.state.inApp.rebase(to: now)
        var situation = try inAppSituation(of: draft)
        situation.isPaused = true
        let decision = draft.state.inApp.screenMissing(showing.ticket, at: now, in: situation)
        try add(decision.map { [$0] } ?? [], to: &draft, now: now)
        try commit(draft)
        endShowing(.paused)
        waker.wake()
    }

    func setInAppDelegate(_ delegate: (any InAppMessageDelegate)?) {
        inApp.delegate = delegate
    }

    /// Those that may still be shown, the next to be shown first.
    func inAppMessages() throws(BelfryError) -> [InAppMessage] {
        let draft = try begun()
        guard draft.state.privacy.rest == nil else { return [] }
        try wantInApp()
        let spent = Set(draft.state.inApp.spent(at: environment.now(), in: try inAppSituation(of: draft)).map(\.id))
        return try storage.opened().store.inAppMessages()
            .filter { !spent.contains($0.id) }
            .sorted { InAppCandidate.comesFirst($0.candidate, $1.candidate) }
            .map { message($0, draft.state.inApp) }
    }

    /// Shows a message that the app asks for, and returns once it is on the screen.
    func showInApp(_ id: String) async throws(InAppError) {
        _ = try presentInAppState()
        guard isRunning else { throw .notStarted }
        let decision: InAppDecision?
        do throws(BelfryError) {
            decision = try askForInApp(id)
        } catch {
            throw InAppError(error)
        }
        switch decision {
        case nil: throw .unknownMessage
        case .notShown(let finding)?: throw .notShown(finding.reason)
        case .load(let ticket)?:
            guard inApp.showing?.ticket == ticket else { throw .notShown(.loadFailed) }
            let reason = await withCheckedContinuation { inApp.showing?.askers.append($0) }
            if let reason { throw .notShown(reason) }
        default: break
        }
    }

    /// - Returns: nil when there is no such message.
    private func askForInApp(_ id: String) throws(BelfryError) -> InAppDecision? {
        let now = environment.now()
        var draft = try begun()
        guard let candidate = try shelf().candidate(id) else { return nil }
        draft.state.inApp.rebase(to: now)
        let situation = try inAppSituation(of: draft)
        let policy = configuration.inApp.policy
        let decision = draft.state.inApp.asked(for: candidate, at: now, in: situation, policy: policy)
        try add([decision], to: &draft, now: now)
        try commit(draft)
        waker.wake()
        return decision
    }

    /// Asks the server now, and returns when its answer is stored.
    func refreshInApp() async throws(InAppError) {
        _ = try presentInAppState()
        do throws(BelfryError) {
            try wantInApp()
        } catch {
            throw InAppError(error)
        }
        do throws(MessageCenterError) {
            _ = try await ask(.fetchInApp)
        } catch {
            throw InAppError(error)
        }
    }

    /// Somebody can show messages, or wants to: from now on they are fetched (IAM-3).
    func wantInApp() throws(BelfryError) {
        var draft = try begun()
        guard !draft.state.sync.inApp.isEnabled, draft.state.privacy.rest == nil else { return }
        draft.state.sync.inApp.setEnabled(true)
        try commit(draft)
        waker.wake()
    }

    /// The state of a client that neither rests nor was stopped.
    func presentInAppState() throws(InAppError) -> DeviceState {
        let current: DeviceState
        do throws(BelfryError) {
            _ = try storage.opened()
            current = try state()
        } catch {
            throw InAppError(error)
        }
        if let rest = current.privacy.rest { throw InAppError(.resting, rest.refusal.message) }
        return current
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
