import BelfryRules

/// The stored state of the device. Each step is one transaction.
struct DeviceStateStore {
    private let storage: DeviceStorage
    private let configuration: BelfryConfiguration
    /// Nil until it is first needed.
    private var stored: DeviceState?
    /// The latest brief of the app's extension; nil when it must be published again.
    private var published: ExtensionBrief?

    init(_ storage: DeviceStorage, _ configuration: BelfryConfiguration) {
        self.storage = storage
        self.configuration = configuration
    }

    var state: DeviceState {
        mutating get throws(BelfryError) {
            if let stored { return stored }
            guard let first = try storage.opened().takeState() else { throw BelfryError.stopped }
            stored = first
            publish(first)
            return first
        }
    }

    /// Makes a step durable, then adopts its state.
    ///
    /// - Returns: how many of the oldest events were dropped because the queue was full.
    mutating func commit(_ step: DeviceStep) throws(BelfryError) -> Int {
        let former = try state
        var change = step.change
        // After a purge of everything all values must be written again.
        let kept = change.purge == .everything ? DeviceState(id: former.id) : former
        change.values = try step.state.values(changedSince: kept)
        let takesEvents = step.state.privacy.takesEvents
        if takesEvents != former.privacy.takesEvents { change.takesEvents = takesEvents }
        let dropped = try storage.opened().store.commit(change)
        stored = step.state
        storage.context.withLock { $0 = step.state.trackingContext }
        storage.pushFilter.withLock { $0 = step.state.pushFilter }
        publish(step.state)
        if change.purge == .everything { storage.shared?.removeNotes() }
        return dropped
    }

    /// Publishes the brief for the app's extension whenever it has changed: a logout returns only after the extension
    /// can know of it (ID-4). If that fails, because the device is locked, the next step tries again.
    private mutating func publish(_ state: DeviceState) {
        guard let shared = storage.shared else { return }
        let brief = ExtensionBrief(state, configuration)
        guard brief != published else { return }
        published = shared.publish(brief) ? brief : nil
    }
}
