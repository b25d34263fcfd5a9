import BelfryModel
import Foundation

/// The parameters of the device's communication with the server.
public struct SyncPolicy: Hashable, Sendable, Codable {
    public var calls: Backoff.Policy
    public var registration: RegistrationSchedule.Policy
    public var uploads: UploadPolicy
    public var centers: MessageCenterPolicy
    public var inApp: InAppPolicy
    /// Nothing is uploaded before a contact key is set (REG-12).
    public var waitsForContactKey: Bool

    public init(
        calls: Backoff.Policy = .call,
        registration: RegistrationSchedule.Policy = RegistrationSchedule.Policy(),
        uploads: UploadPolicy = UploadPolicy(),
        centers: MessageCenterPolicy = MessageCenterPolicy(),
        inApp: InAppPolicy = InAppPolicy(),
        waitsForContactKey: Bool = false
    ) {
        self.calls = calls
        self.registration = registration
        self.uploads = uploads
        self.centers = centers
        self.inApp = inApp
        self.waitsForContactKey = waitsForContactKey
    }
}

/// The present situation on the device.
public struct SyncSituation: Hashable, Sendable {
    /// The record as it may be sent (``BelfryModel/ContactRecord/reported``).
    public var record: ContactRecord
    public var recordDigest: StableDigest
    public var queue: QueueStatus
    public var appState: AppState
    public var isOnline: Bool
    /// The app is about to be suspended, or asked for a flush.
    public var isHurried: Bool
    /// The client is suspended and sends nothing (REG-36).
    public var isResting: Bool
    /// A message state that the server does not know yet.
    public var pendingState: PendingMessageState?
    /// A report about rich content that the server does not have yet.
    public var pendingReport: RichContentReport?
    /// A caller waits for the result of a call.
    public var isAwaited: Bool

    public init(
        record: ContactRecord,
        recordDigest: StableDigest,
        queue: QueueStatus,
        appState: AppState,
        isOnline: Bool,
        isHurried: Bool,
        isResting: Bool = false,
        pendingState: PendingMessageState? = nil,
        pendingReport: RichContentReport? = nil,
        isAwaited: Bool = false
    ) {
        self.record = record
        self.recordDigest = recordDigest
        self.queue = queue
        self.appState = appState
        self.isOnline = isOnline
        self.isHurried = isHurried
        self.isResting = isResting
        self.pendingState = pendingState
        self.pendingReport = pendingReport
        self.isAwaited = isAwaited
    }

    /// The digest of the content of `POST /client`.
    public var propertiesDigest: StableDigest {
        StableDigest(properties: record.system, osPushEnabled: record.osPushEnabled)
    }
}

/// The next thing that a device does.
public enum SyncStep: Hashable, Sendable {
    case sendProperties
    case link(PendingLink)
    case refreshToken(String)
    case putPushToken(PushToken)
    case deletePushToken
    case register(SendReason)
    case upload(BatchLimit)
    /// The call whose caller has waited longest.
    case awaitedCall
    case putMessageState(PendingMessageState)
    case reportRichContent(RichContentReport)
    case fetchInApp
    case fetchCenters
    /// A center that the response for all centers did not list.
    case fetchCenter(String)
    case resetBadge
    case fetchBadge
    case wait(until: Date, reason: WaitReason)
    case idle(IdleReason)
}

/// Decides what a device sends next: properties, link, token, awaited calls, push token, registration, in-app messages,
/// message centers, events.
///
/// A device has one request in progress at a time. Each kind has its own back-off, so a failing call delays only what
/// depends on it: a link needs the device's properties on the server once; registrations and events need the link; a
/// push token needs any usable contact token.
public enum SyncPlan {
    /// The next step; nothing is changed. Call ``SyncState/rebase(to:)`` before.
    public static func next(
        for state: SyncState,
        in situation: SyncSituation,
        now: Date,
        policy: SyncPolicy
    ) -> SyncStep {
        if situation.isResting { return .idle(.resting) }
        if holdsBack(state, record: situation.record, policy: policy) {
            return farewellStep(state, situation, now: now, policy: policy)
        }
        guard situation.isOnline else { return .idle(.offline) }
        var outlook = Outlook()
        if let step = propertiesStep(state, situation, now: now, outlook: &outlook) { return step }
        let link = linkStep(state, now: now, policy: policy, outlook: &outlook)
        if let step = link.step { return step }
        if link.isSettled, situation.isAwaited { return .awaitedCall }
        if let step = pushTokenStep(state, situation, now: now, outlook: &outlook) { return step }
        guard link.isSettled else { return outlook.step }
        if let step = registrationStep(state, situation, now: now, policy: policy, outlook: &outlook) { return step }
        if let step = centerStep(state, situation, now: now, policy: policy, outlook: &outlook) { return step }
        if let step = eventsStep(state, situation, now: now, policy: policy, outlook: &outlook) { return step }
        return outlook.step
    }

    /// Nothing is sent until a contact key is set (REG-12).
    public static func holdsBack(_ state: SyncState, record: ContactRecord, policy: SyncPolicy) -> Bool {
        policy.waitsForContactKey && record.contactKey == nil && !record.isNamedByParty && !state.link.namesContact
    }

    /// Sends events of a person who has left, because they were released when their key was set (EVT-3, ID-4).
    private static func farewellStep(
        _ state: SyncState,
        _ situation: SyncSituation,
        now: Date,
        policy: SyncPolicy
    ) -> SyncStep {
        guard let owner = situation.queue.oldestOwner, owner != state.link.owner, situation.isOnline else {
            return .idle(.waitingForContactKey)
        }
        var outlook = Outlook()
        outlook.idle = .waitingForContactKey
        switch state.link.decide(now: now, policy: policy.calls) {
        case .ready:
            if let step = eventsStep(state, situation, now: now, policy: policy, outlook: &outlook) { return step }
        case .refresh(let refreshToken): return .refreshToken(refreshToken)
        case .wait(let until, let reason): outlook.wait(until: until, reason: reason)
        case .link, .idle: break
        }
        return outlook.step
    }

    private static func propertiesStep(
        _ state: SyncState,
        _ situation: SyncSituation,
        now: Date,
        outlook: inout Outlook
    ) -> SyncStep? {
        let decision = state.properties.decide(
            situation.propertiesDigest,
            hasClientState: state.clientState != nil,
            now: now
        )
        return outlook.take(decision, step: .sendProperties)
    }

    private static func linkStep(
        _ state: SyncState,
        now: Date,
        policy: SyncPolicy,
        outlook: inout Outlook
    ) -> (step: SyncStep?, isSettled: Bool) {
        guard state.properties.isSettled else { return (nil, false) }
        if let retry = state.link.nextTakeover(now: now) { outlook.wait(until: retry, reason: .backingOff) }
        switch state.link.decide(now: now, policy: policy.calls) {
        case .link(let link): return (.link(link), false)
        case .refresh(let refreshToken): return (.refreshToken(refreshToken), false)
        case .ready: return (nil, true)
        case .wait(let until, let reason):
            outlook.wait(until: until, reason: reason)
            return (nil, false)
        case .idle(let reason):
            outlook.idle = reason
            return (nil, false)
        }
    }

    private static func pushTokenStep(
        _ state: SyncState,
        _ situation: SyncSituation,
        now: Date,
        outlook: inout Outlook
    ) -> SyncStep? {
        if state.link.isStranded(now: now) { return withdrawalStep(state, now: now, outlook: &outlook) }
        guard state.link.hasUsableToken else { return nil }
        let token = situation.record.pushToken
        // If it were registered now, pushes for the person who has left would arrive.
        if token != nil, state.link.leavesPerson { return nil }
        let step = token.map(SyncStep.putPushToken) ?? .deletePushToken
        return outlook.take(state.pushToken.decide(token, now: now), step: step)
    }

    /// Withdraws the push token. With anonymous contacts off, the server keeps the device linked to the person who
    /// logged out, and only their token can stop pushes for them (ID-4).
    private static func withdrawalStep(_ state: SyncState, now: Date, outlook: inout Outlook) -> SyncStep? {
        let decision = state.pushToken.decideWithdrawal(now: now)
        guard decision == .send else { return outlook.take(decision, step: .deletePushToken) }
        switch state.link.decideToken(now: now) {
        case .ready: return .deletePushToken
        case .refresh(let refreshToken): return .refreshToken(refreshToken)
        case .wait(let until, let reason): outlook.wait(until: until, reason: reason)
        case .link, .idle: break
        }
        return nil
    }

    private static func registrationStep(
        _ state: SyncState,
        _ situation: SyncSituation,
        now: Date,
        policy: SyncPolicy,
        outlook: inout Outlook
    ) -> SyncStep? {
        let decision = state.registration.decide(
            situation.recordDigest,
            now: now,
            appState: situation.appState,
            isHurried: situation.isHurried,
            policy: policy.registration
        )
        switch decision {
        case .send(let reason): return .register(reason)
        case .wait(let until, let reason): outlook.wait(until: until, reason: reason)
        case .idle(.nothingChanged): break
        case .idle(let reason): outlook.idle = reason
        }
        return nil
    }

    private static func eventsStep(
        _ state: SyncState,
        _ situation: SyncSituation,
        now: Date,
        policy: SyncPolicy,
        outlook: inout Outlook
    ) -> SyncStep? {
        switch state.uploads.decide(situation.queue, now: now, policy: policy.uploads) {
        case .send(let limit): return .upload(limit)
        case .wait(let until, let reason): outlook.wait(until: until, reason: reason)
        case .idle: break
        }
        return nil
    }
}

/// The result when nothing can be done now: the earliest wait, otherwise the reason for idleness.
struct Outlook {
    var idle = IdleReason.nothingToDo
    private var earliest: (until: Date, reason: WaitReason)?

    mutating func wait(until: Date, reason: WaitReason) {
        if let earliest, earliest.until <= until { return }
        earliest = (until, reason)
    }

    mutating func take(_ decision: CallDecision, step: SyncStep) -> SyncStep? {
        switch decision {
        case .send: return step
        case .wait(let until, let reason): wait(until: until, reason: reason)
        case .notNeeded: break
        }
        return nil
    }

    var step: SyncStep {
        guard let earliest else { return .idle(idle) }
        return .wait(until: earliest.until, reason: earliest.reason)
    }
}
