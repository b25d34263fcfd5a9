import BelfryModel
import BelfryRules
import Foundation

/// The constant parts of a client that every step may read.
struct DeviceContext: Sendable {
    let configuration: BelfryConfiguration
    let platform: any DevicePlatform
    let environment: DeviceEnvironment
    let recorder: EventRecorder

    var storage: DeviceStorage { recorder.storage }
}

/// One change of the device's state, as a value: the state before, the change, and its effects.
///
/// Every change is a function on a step. It changes the stored state and the state of the process, and lists
/// the effects. ``DeviceEngine`` stores the step in one transaction; then the new state counts and the effects are
/// performed in their order. A step that cannot be stored has not happened.
struct DeviceStep: Sendable {
    let context: DeviceContext
    let now: Date
    var state: DeviceState
    var process: ProcessState
    /// Changes of other tables of the store.
    var change = StoreChange()
    /// The effects that the machines have listed.
    private var effects: [Effect] = []

    init(_ context: DeviceContext, state: DeviceState, process: ProcessState) {
        self.context = context
        self.state = state
        self.process = process
        now = context.environment.now()
    }

    var configuration: BelfryConfiguration { context.configuration }
    var policy: SyncPolicy { context.configuration.syncPolicy }
    var recorder: EventRecorder { context.recorder }

    /// The store before this step.
    var store: DeviceStore {
        get throws(BelfryError) { try context.storage.opened().store }
    }

    /// A random number from 0 to 1, for a back-off.
    func jitter() -> Double { context.environment.jitter() }

    func newID() -> String { context.environment.makeUUID().uuidString }

    mutating func then(_ effect: Effect) {
        effects.append(effect)
    }

    /// The effects to perform once the step is stored: those that were listed, then those of every step.
    ///
    /// - Parameters:
    ///   - former: the state before it.
    ///   - dropped: how many of the oldest events were dropped for it.
    func allEffects(after former: DeviceState, dropped: Int) -> [Effect] {
        var all = effects
        if state.privacy.takesEvents { all.append(.addTriggers(change.events.compactMap(\.trigger))) }
        if state.inApp != former.inApp { all.append(.wakeInApp) }
        if dropped > 0 { all.append(.report(.eventsDropped(count: dropped, reason: .queueFull))) }
        return all
    }

    /// - Parameter number: the number of the waiting caller; nil when there is none.
    mutating func finish(_ number: Int?, _ outcome: AwaitedCall.Outcome) {
        if let number { process.awaited.end(number, outcome, &effects) }
    }

    /// All waiting callers get the same error.
    mutating func finishAll(_ error: MessageCenterError) {
        process.awaited.endAll(error, &effects)
    }

    /// Ends the message that is on the screen or about to be shown.
    ///
    /// - Parameter reason: for callers that asked for the message and do not see it yet.
    mutating func endPresentation(_ reason: InAppReason, _ how: InAppDismissal = .replaced) {
        process.inApp.endPresentation(reason, how, &effects)
    }

    /// Sets the messages that the device has from this step on.
    mutating func setCache(_ cache: InAppCache) {
        if cache.inlines != process.inApp.cache?.inlines ?? [:] { then(.offerInlines) }
        process.inApp.cache = cache
        then(.awaitEvents(cache.candidates.triggerNames))
        then(.wakeInApp)
    }

    /// Notes that the record may have changed.
    mutating func noticeRecord() {
        state.sync.registration.noticed(state.recordDigest, now: now)
    }

    /// The outcome of any call with a contact token shows whether the token is valid (ID-6).
    mutating func noticeToken(_ outcome: CallOutcome) {
        switch outcome {
        case .accepted: state.sync.link.tokenProved()
        case .unauthorized(let failure):
            state.sync.link.tokenRefused(failure, now: now, random: jitter(), policy: policy.calls)
        case .refused, .failed: break
        }
    }

    /// Queues the events of a session under the contact to whom it belongs, if events are recorded (REG-36).
    mutating func add(_ events: some Sequence<SessionEvent>, owner: Int) throws(BelfryError) {
        guard state.privacy.takesEvents else { return }
        for event in events {
            var queued = try recorder.queued(event, owner: owner)
            // The start of a session is matched with triggers in the step that stores it, so it must not be matched
            // again.
            if event.triggerEvent != nil { queued.trigger = nil }
            change.events.append(queued)
        }
    }
}

extension DeviceState {
    /// The digest of the record as it may be sent for the present person.
    var recordDigest: StableDigest {
        StableDigest(record: record.reported, person: sync.link.person)
    }
}

/// The state that is not stored; it ends with the process.
struct ProcessState: Sendable {
    var appState = AppState.backgroundWake
    var isOnline = true
    /// How often the network came back, and how often the app did.
    var networkReturns = 0
    var openings = 0
    /// Whether edits are sent immediately instead of being collected: the app is leaving, or asked for a flush.
    var isHurried = false
    var isRunning = false
    /// Whether pushes of a former person may still be on the screen.
    var showsFormer = false
    /// The callers that wait for the result of a call.
    var awaited = AwaitedCalls()
    /// When the age of the dead letters was last checked.
    var deadLettersTidiedAt: Date?
    var inApp = InAppRuntimeState()
    /// The system gave no push token, and will be asked again.
    var tokenRetry = PushTokenRetry()
}
