import BelfryModel
import BelfryRules
import Foundation

extension SyncEngine {
    /// Says where the client stands, for support (REG-14).
    func clientState() throws(BelfryError) -> ClientState {
        let current = try state()
        let sync = current.sync
        return ClientState(
            deviceId: current.id.rawValue,
            appCode: configuration.appCode.rawValue,
            sdkVersion: BelfryVersion.sdk,
            contact: sync.link.linked.map { $0.target.isKnown ? "known" : "anonymous" } ?? "none",
            linkError: sync.link.linkGate.lastFailure,
            trackingEnabled: current.privacy.isTracking,
            erased: current.privacy.rest == .erased,
            isResting: current.privacy.rest != nil,
            pushToken: current.record.pushToken?.description,
            consent: ClientState.Consent(
                pushEnabled: current.record.pushEnabled,
                osPushEnabled: current.record.osPushEnabled
            ),
            registration: try registrationState(current),
            queue: try queueState(sync.uploads),
            isOnline: isOnline,
            appState: appState,
            serverClockOffset: sync.serverClockOffset
        )
    }

    private func registrationState(_ current: DeviceState) throws(BelfryError) -> ClientState.Registration {
        let now = environment.now()
        var schedule = current.sync.registration
        schedule.rebase(to: now)
        let digest = current.recordDigest
        let decision = schedule.decide(
            digest,
            now: now,
            appState: appState,
            isHurried: isHurried,
            policy: configuration.syncPolicy.registration
        )
        let outlook = try stillness(now: now) ?? Self.outlook(decision, now: now)
        return ClientState.Registration(
            isPending: schedule.accepted != digest,
            acceptedRevision: schedule.acceptedRevision,
            lastAttemptAt: schedule.lastAttemptAt,
            nextAttemptAt: outlook.next,
            reason: outlook.reason,
            lastError: schedule.gate.lastFailure
        )
    }

    /// What keeps every call back; nil when nothing does.
    private func stillness(now: Date) throws(BelfryError) -> (next: Date?, reason: String)? {
        let reasons: [IdleReason] = [.resting, .waitingForContactKey, .offline]
        guard case .idle(let reason) = try nextStep(now: now), reasons.contains(reason) else { return nil }
        return (next: nil, reason: reason.rawValue)
    }

    private static func outlook(_ decision: RegistrationDecision, now: Date) -> (next: Date?, reason: String) {
        switch decision {
        case .send(let reason): (now, reason.rawValue)
        case .wait(let until, let reason): (until, reason.rawValue)
        case .idle(let reason): (nil, reason.rawValue)
        }
    }

    private func queueState(_ uploads: UploadRules) throws(BelfryError) -> ClientState.Queue {
        let store = try storage.opened().store
        let status = try store.queueStatus()
        return ClientState.Queue(
            count: status.count,
            bytes: status.bytes,
            droppedFull: try store.counter(CounterName.queueFull),
            droppedOld: try store.counter(CounterName.tooOld),
            setAside: try store.counter(CounterName.setAside),
            lastError: uploads.lastFailure
        )
    }
}
