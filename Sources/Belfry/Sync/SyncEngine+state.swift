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
            contact: sync.link.target.map { $0.isKnown ? "known" : "anonymous" } ?? "none",
            propertiesError: sync.properties.gate.lastFailure,
            linkError: sync.link.linkGate.lastFailure,
            refreshError: sync.link.refreshGate.lastFailure,
            pushTokenError: sync.pushToken.gate.lastFailure,
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
            messageCenter: try centerState(sync.centers),
            inApp: try inAppState(sync.inApp),
            badge: sync.badge.badge,
            isOnline: isOnline,
            appState: appState,
            serverClockOffset: sync.serverClockOffset
        )
    }

    private func registrationState(_ current: DeviceState) throws(BelfryError) -> ClientState.Registration {
        let now = environment.now()
        var sync = current.sync
        sync.rebase(to: now)
        let schedule = sync.registration
        let decision = SyncPlan.registrationOutlook(
            for: sync,
            in: try situation(of: current),
            now: now,
            policy: configuration.syncPolicy
        )
        let outlook = Self.outlook(decision, now: now)
        return ClientState.Registration(
            isPending: schedule.accepted != current.recordDigest,
            acceptedRevision: schedule.acceptedRevision,
            lastAttemptAt: schedule.lastAttemptAt,
            nextAttemptAt: outlook.next,
            reason: outlook.reason,
            lastError: schedule.gate.lastFailure
        )
    }

    private static func outlook(_ decision: RegistrationDecision, now: Date) -> (next: Date?, reason: String) {
        switch decision {
        case .send(let reason): (now, reason.rawValue)
        case .wait(let until, let reason): (until, reason.rawValue)
        case .idle(let reason): (nil, reason.rawValue)
        }
    }

    private func centerState(_ stored: CenterSchedule) throws(BelfryError) -> ClientState.MessageCenter {
        let now = environment.now()
        var centers = stored
        centers.rebase(to: now)
        let next: Date? =
            switch centers.decide(now: now, appState: appState, policy: configuration.syncPolicy.centers) {
            case .send: now
            case .wait(let until, _): until
            case .notNeeded: nil
            }
        return ClientState.MessageCenter(
            isEnabled: centers.isEnabled,
            fetchedAt: centers.fetchedAt,
            nextFetchAt: next,
            pendingStates: try storage.opened().store.pendingStates().count,
            lastError: centers.gate.lastFailure
        )
    }

    private func inAppState(_ stored: InAppSchedule) throws(BelfryError) -> ClientState.InApp {
        let now = environment.now()
        var schedule = stored
        schedule.rebase(to: now)
        let next: Date? =
            switch schedule.decide(now: now, appState: appState, policy: configuration.inApp.policy) {
            case .send: now
            case .wait(let until, _): until
            case .notNeeded: nil
            }
        return ClientState.InApp(
            isEnabled: schedule.isEnabled,
            isPaused: inApp.isPaused,
            count: try shelf().candidates.count,
            fetchedAt: schedule.fetchedAt,
            nextFetchAt: next,
            lastError: schedule.gate.lastFailure
        )
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
