import BelfryRules

/// The stored state of the device. Each step is one transaction.
struct DeviceStateStore {
    private let storage: DeviceStorage
    /// Nil until it is first needed.
    private var stored: DeviceState?

    init(_ storage: DeviceStorage) {
        self.storage = storage
    }

    var state: DeviceState {
        mutating get throws(BelfryError) {
            if let stored { return stored }
            guard let first = try storage.opened().takeState() else { throw BelfryError.stopped }
            stored = first
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
        return dropped
    }
}
