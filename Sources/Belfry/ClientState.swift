import BelfryModel
import BelfryRules
import Foundation

/// The state of a client, for support, without tokens and personal values (REG-14).
public struct ClientState: Hashable, Sendable, Codable {
    /// The registration of the contact record.
    public struct Registration: Hashable, Sendable, Codable {
        /// The record differs from what the server is known to have.
        public let isPending: Bool
        /// The revision that the server accepted last.
        public let acceptedRevision: Int64?
        /// When the last attempt was made.
        public let lastAttemptAt: Date?
        /// When the next attempt may be made; nil when none is needed or something else must happen first.
        public let nextAttemptAt: Date?
        /// Why it is waiting or suspended.
        public let reason: String?
        /// The last failure, until an attempt succeeds.
        public let lastError: CallFailure?
        /// The newest revision that the server is known to have processed; nil while this is unknown.
        public let processedRevision: Int64?
        /// The fields that the server rejected of that revision, and why, such as attributes that are not defined
        /// (REG-25).
        public let rejected: [RejectedField]
    }

    /// The consent to pushes, in the app and in the operating system.
    public struct Consent: Hashable, Sendable, Codable {
        /// The app's own switch.
        public let pushEnabled: Bool
        /// The operating system's permission; nil as long as it was not asked for.
        public let osPushEnabled: Bool?
    }

    /// The queue of events.
    public struct Queue: Hashable, Sendable, Codable {
        /// The number of waiting events.
        public let count: Int
        /// The size of the waiting events in bytes.
        public let bytes: Int
        /// How many events were dropped since the installation, because the queue was full.
        public let droppedFull: Int
        /// How many events were dropped since the installation, because they were too old.
        public let droppedOld: Int
        /// How many dead letters there were since the installation: rejected by the server, or with an unknown contact.
        public let setAside: Int
        /// The last failure of an upload, until one succeeds.
        public let lastError: CallFailure?
    }

    /// The message centers.
    public struct MessageCenter: Hashable, Sendable, Codable {
        /// The app has turned them on.
        public let isEnabled: Bool
        /// When the contact's messages were fetched last.
        public let fetchedAt: Date?
        /// When they will be fetched next; nil when nothing makes them due, such as while the app is not shown.
        public let nextFetchAt: Date?
        /// How many messages were read or deleted here and the server does not know it yet.
        public let pendingStates: Int
        /// The last failure of a fetch, until one succeeds.
        public let lastError: CallFailure?
    }

    /// The in-app messages.
    public struct InApp: Hashable, Sendable, Codable {
        /// The platform can show messages, or the app has asked for them.
        public let isEnabled: Bool
        /// The app has paused them.
        public let isPaused: Bool
        /// How many are on the device.
        public let count: Int
        /// When the contact's messages were fetched last.
        public let fetchedAt: Date?
        /// When they will be fetched next; nil when nothing makes them due.
        public let nextFetchAt: Date?
        /// The last failure of a fetch, until one succeeds.
        public let lastError: CallFailure?
    }

    /// The installation's id, as the server knows it.
    public let deviceId: String
    /// The app's code.
    public let appCode: String
    /// The SDK's version.
    public let sdkVersion: String
    /// The kind of contact: `known`, `anonymous`, or `none` before the first start.
    public let contact: String
    /// The link to that contact is still pending; until it is made, the server knows the device by the former one.
    public let linkIsPending: Bool
    /// The last failure to send the device's properties, until it succeeds.
    public let propertiesError: CallFailure?
    /// The last failure of a link, until one succeeds.
    public let linkError: CallFailure?
    /// The last failure to renew the contact token, until the token is valid again.
    public let refreshError: CallFailure?
    /// The last failure to register or to remove the push token, until it succeeds.
    public let pushTokenError: CallFailure?
    /// False when the person does not allow that events are recorded (REG-36).
    public let trackingEnabled: Bool
    /// The server erased the person; the client is suspended until it is started with `afterErasure`.
    public let erased: Bool
    /// The client is suspended: it was wiped or its person erased, and it was not started since.
    public let isResting: Bool
    /// The push token, shortened.
    public let pushToken: String?
    /// The consent to pushes, in the app and in the operating system.
    public let consent: Consent
    /// The registration of the contact record.
    public let registration: Registration
    /// The queue of events.
    public let queue: Queue
    /// The message centers.
    public let messageCenter: MessageCenter
    /// The in-app messages.
    public let inApp: InApp
    /// The number on the app's icon, as the server and this device know it.
    public let badge: Badge
    /// Whether the network is known to be there.
    public let isOnline: Bool
    /// `foreground`, `background` or `backgroundWake`.
    public let appState: AppState
    /// Seconds by which the server's clock is ahead of the device's.
    public let serverClockOffset: TimeInterval?

    /// The state as JSON, with sorted keys and ISO 8601 dates.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}

extension ClientState {
    /// JSON that an app stored with an earlier version does not say whether a link is pending.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        deviceId = try values.decode(String.self, forKey: .deviceId)
        appCode = try values.decode(String.self, forKey: .appCode)
        sdkVersion = try values.decode(String.self, forKey: .sdkVersion)
        contact = try values.decode(String.self, forKey: .contact)
        linkIsPending = try values.decodeIfPresent(Bool.self, forKey: .linkIsPending) ?? false
        propertiesError = try values.decodeIfPresent(CallFailure.self, forKey: .propertiesError)
        linkError = try values.decodeIfPresent(CallFailure.self, forKey: .linkError)
        refreshError = try values.decodeIfPresent(CallFailure.self, forKey: .refreshError)
        pushTokenError = try values.decodeIfPresent(CallFailure.self, forKey: .pushTokenError)
        trackingEnabled = try values.decode(Bool.self, forKey: .trackingEnabled)
        erased = try values.decode(Bool.self, forKey: .erased)
        isResting = try values.decode(Bool.self, forKey: .isResting)
        pushToken = try values.decodeIfPresent(String.self, forKey: .pushToken)
        consent = try values.decode(Consent.self, forKey: .consent)
        registration = try values.decode(Registration.self, forKey: .registration)
        queue = try values.decode(Queue.self, forKey: .queue)
        messageCenter = try values.decode(MessageCenter.self, forKey: .messageCenter)
        inApp = try values.decode(InApp.self, forKey: .inApp)
        badge = try values.decode(Badge.self, forKey: .badge)
        isOnline = try values.decode(Bool.self, forKey: .isOnline)
        appState = try values.decode(AppState.self, forKey: .appState)
        serverClockOffset = try values.decodeIfPresent(TimeInterval.self, forKey: .serverClockOffset)
    }
}

/// Makes the state of a client, for support (REG-14).
extension ClientState {
    init(_ step: inout DeviceStep) throws(BelfryError) {
        let current = step.state
        // If the clock was set back, times are corrected before the next attempts are computed, as in the sync loop.
        step.state.sync.rebase(to: step.now)
        let sync = step.state.sync
        self.init(
            deviceId: current.id.rawValue,
            appCode: step.configuration.appCode.rawValue,
            sdkVersion: BelfryVersion.sdk,
            contact: sync.link.target.map { $0.isKnown ? "known" : "anonymous" } ?? "none",
            linkIsPending: sync.link.awaitsContact,
            propertiesError: sync.properties.gate.lastFailure,
            linkError: sync.link.linkGate.lastFailure,
            refreshError: sync.link.refreshGate.lastFailure,
            pushTokenError: sync.pushToken.gate.lastFailure,
            trackingEnabled: current.privacy.isTracking,
            erased: current.privacy.rest == .erased,
            isResting: current.privacy.rest != nil,
            pushToken: current.record.pushToken?.description,
            consent: Consent(pushEnabled: current.record.pushEnabled, osPushEnabled: current.record.osPushEnabled),
            registration: try Registration(step),
            queue: try Queue(step),
            messageCenter: try MessageCenter(step),
            inApp: try InApp(&step),
            badge: sync.badge.badge,
            isOnline: step.process.isOnline,
            appState: step.process.appState,
            serverClockOffset: sync.serverClockOffset
        )
    }
}

extension ClientState.Registration {
    fileprivate init(_ step: DeviceStep) throws(BelfryError) {
        let schedule = step.state.sync.registration
        let situation = try SyncLoop.situation(in: step)
        let decision = SyncPlan.registrationOutlook(
            for: step.state.sync, in: situation, now: step.now, policy: step.policy
        )
        let (next, reason): (Date?, String) =
            switch decision {
            case .send(let reason): (step.now, reason.rawValue)
            case .wait(let until, let reason): (until, reason.rawValue)
            case .idle(let reason): (nil, reason.rawValue)
            }
        self.init(
            isPending: schedule.accepted != step.state.recordDigest,
            acceptedRevision: schedule.acceptedRevision,
            lastAttemptAt: schedule.lastAttemptAt,
            nextAttemptAt: next,
            reason: reason,
            lastError: schedule.gate.lastFailure,
            processedRevision: schedule.result?.revision,
            rejected: schedule.result?.rejected ?? []
        )
    }
}

extension ClientState.Queue {
    fileprivate init(_ step: DeviceStep) throws(BelfryError) {
        let store = try step.store
        let status = try store.queueStatus()
        self.init(
            count: status.count,
            bytes: status.bytes,
            droppedFull: try store.counter(CounterName.queueFull),
            droppedOld: try store.counter(CounterName.tooOld),
            setAside: try store.counter(CounterName.deadLetters),
            lastError: step.state.sync.uploads.lastFailure
        )
    }
}

extension ClientState.MessageCenter {
    fileprivate init(_ step: DeviceStep) throws(BelfryError) {
        let centers = step.state.sync.centers
        let decision = centers.decide(now: step.now, appState: step.process.appState, policy: step.policy.centers)
        self.init(
            isEnabled: centers.isEnabled,
            fetchedAt: centers.fetchedAt,
            nextFetchAt: decision.nextAttempt(now: step.now),
            pendingStates: try step.store.pendingStates().count,
            lastError: centers.gate.lastFailure
        )
    }
}

extension ClientState.InApp {
    fileprivate init(_ step: inout DeviceStep) throws(BelfryError) {
        let schedule = step.state.sync.inApp
        let policy = step.configuration.inApp.policy
        let decision = schedule.decide(now: step.now, appState: step.process.appState, policy: policy)
        self.init(
            isEnabled: schedule.isEnabled,
            isPaused: step.process.inApp.isPaused,
            count: try InAppMachine.cache(in: &step).candidates.count,
            fetchedAt: schedule.fetchedAt,
            nextFetchAt: decision.nextAttempt(now: step.now),
            lastError: schedule.gate.lastFailure
        )
    }
}

extension CallDecision {
    fileprivate func nextAttempt(now: Date) -> Date? {
        switch self {
        case .send: now
        case .wait(let until, _): until
        case .notNeeded: nil
        }
    }
}
