import BelfryModel
import BelfryRules
import Foundation

/// What a client is made of and every step may read.
struct DeviceContext: Sendable {
    let configuration: BelfryConfiguration
    let platform: any DevicePlatform
    let environment: DeviceEnvironment
    let recorder: EventRecorder

    var storage: DeviceStorage { recorder.storage }
}

/// One step of the device's life, as a value: what was, what happens, and what follows from it.
///
/// Whatever happens to the device is a function on a step. It changes the state and what the process knows, and lists
/// the effects. ``DeviceEngine`` stores the step in one transaction; then the new state counts and the effects are
/// performed in their order. A step that cannot be stored has not happened.
struct DeviceStep: Sendable {
    let context: DeviceContext
    let now: Date
    var state: DeviceState
    var process: ProcessState
    /// What happens to the tables of the store beside the state.
    var change = StoreChange()
    /// What is done once the step is stored.
    private(set) var effects: [Effect] = []

    init(_ context: DeviceContext, state: DeviceState, process: ProcessState) {
        self.context = context
        self.state = state
        self.process = process
        now = context.environment.now()
    }

    var configuration: BelfryConfiguration { context.configuration }
    var policy: SyncPolicy { context.configuration.syncPolicy }
    var recorder: EventRecorder { context.recorder }

    /// What was stored before this step.
    var store: DeviceStore {
        get throws(BelfryError) { try context.storage.opened().store }
    }

    /// 0 to 1, for a back-off.
    func jitter() -> Double { context.environment.jitter() }

    func newID() -> String { context.environment.makeUUID().uuidString }

    mutating func then(_ effect: Effect) {
        effects.append(effect)
    }

    /// - Parameter number: of the one who waits; nil when nobody does.
    mutating func answer(_ number: Int?, _ outcome: AwaitedCall.Outcome) {
        if let number { process.awaited.end(number, outcome, &effects) }
    }

    /// Everybody who waits hears of the same fault.
    mutating func answerAll(_ error: MessageCenterError) {
        process.awaited.endAll(error, &effects)
    }

    /// Lets go of the message on the screen, or on its way there.
    ///
    /// - Parameter reason: for those who asked for it and do not see it yet.
    mutating func endShowing(_ reason: InAppReason, _ how: InAppDismissal = .replaced) {
        process.inApp.endShowing(reason, how, &effects)
    }

    /// The messages that the device has from this step on.
    mutating func setShelf(_ shelf: InAppShelf) {
        if shelf.inlines != process.inApp.shelf?.inlines ?? [:] { then(.offerInlines) }
        process.inApp.shelf = shelf
        then(.awaitEvents(shelf.candidates.triggerNames))
        then(.wakeInApp)
    }

    /// Takes note that the record may have become another one.
    mutating func noticeRecord() {
        state.sync.registration.noticed(state.recordDigest, now: now)
    }

    /// What any call with a contact token says about the token (ID-6).
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
            // The start of a session is judged in the step that stores it.
            if event.triggerEvent != nil { queued.trigger = nil }
            change.events.append(queued)
        }
    }
}

extension DeviceState {
    /// The digest of the record as it may be told of the present person.
    var recordDigest: StableDigest {
        StableDigest(record: record.reported, person: sync.link.person)
    }
}

/// What the engine knows beside what is stored; it ends with the process.
struct ProcessState: Sendable {
    var appState = AppState.backgroundWake
    var isOnline = true
    /// Edits are not collected: the app is leaving, or asked for a flush.
    var isHurried = false
    var isRunning = false
    /// What a former person was sent may still be on the screen.
    var showsFormer = false
    /// Those who wait for the answer to a call.
    var awaited = AwaitedCalls()
    /// When the events set aside were last looked at for their age.
    var asideLookedAt: Date?
    var inApp = InAppProcess()
}
