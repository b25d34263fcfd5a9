import Foundation

/// The storage of one client: locked at once, opened when it is first needed, so that creating a client opens no
/// database (PERF-9) and even an event tracked before the start is durable.
final class DeviceStorage: Sendable {
    /// A class, so that each event that is tracked copies a reference and not the whole state.
    final class Opened: Sendable {
        let store: DeviceStore
        private let first: Locked<DeviceState?>

        init(store: DeviceStore, state: DeviceState) {
            self.store = store
            first = Locked(state)
        }

        /// The state as it was when the storage was opened, for the engine, which owns it from then on. No copy is kept
        /// here, because data that the device deletes must not stay in memory (REG-36).
        ///
        /// - Returns: nil when it was already taken.
        func takeState() -> DeviceState? {
            first.withLock { first in
                defer { first = nil }
                return first
            }
        }
    }

    private enum Phase {
        /// The directory cannot be used yet.
        case unreachable
        case unopened(StorageLock)
        case open(StorageLock, Opened)
        case closed
    }

    /// The context that is added to events when they are tracked; the engine keeps it up to date.
    let context = Locked(TrackingContext())
    /// Decides which pushes are accepted, for callers that cannot wait for the engine; the engine keeps it up to date.
    let pushFilter = Locked(PushFilter())
    /// Events that may trigger an in-app message; the engine sets their names.
    let triggers = TriggerInbox()
    /// The folder that the app shares with its notification service extension; nil without one.
    let shared: SharedFolder?

    private let configuration: BelfryConfiguration
    private let makeUUID: @Sendable () -> UUID
    private let probe: StoreProbe?
    private let phase: Locked<Phase>

    /// - Throws: ``BelfryError/Code/directoryInUse`` when another client uses the directory.
    init(
        configuration: BelfryConfiguration,
        makeUUID: @escaping @Sendable () -> UUID,
        probe: StoreProbe?
    ) throws(BelfryError) {
        self.configuration = configuration
        self.makeUUID = makeUUID
        self.probe = probe
        shared = configuration.appGroupDirectory.map { SharedFolder($0, appCode: configuration.appCode) }
        phase = Locked(try Self.firstPhase(in: configuration.directory))
    }

    /// The first phase. After a restart, a device's files cannot be read until it is unlocked. The client is created
    /// anyway, and its calls report that the storage is unavailable until it opens.
    private static func firstPhase(in directory: URL) throws(BelfryError) -> Phase {
        do throws(BelfryError) {
            return .unopened(try StorageLock(directory: directory))
        } catch {
            guard error.code == .storageUnavailable else { throw error }
            return .unreachable
        }
    }

    /// Opens the storage the first time. The backlog of events is not read.
    func opened() throws(BelfryError) -> Opened {
        try phase.withLock { (phase: inout Phase) throws(BelfryError) -> Opened in
            switch phase {
            case .open(_, let opened): return opened
            case .closed: throw BelfryError.stopped
            case .unopened(let lock): return try open(&phase, holding: lock)
            case .unreachable:
                let lock = try StorageLock(directory: configuration.directory)
                return try open(&phase, holding: lock)
            }
        }
    }

    /// Releases the file and the directory. Nothing is written: everything was stored when it happened.
    func close() {
        let former = phase.withLock { phase in
            defer { phase = .closed }
            return phase
        }
        if case .open(_, let opened) = former { opened.store.close() }
    }

    private func open(_ phase: inout Phase, holding lock: StorageLock) throws(BelfryError) -> Opened {
        let opened = try openNow()
        phase = .open(lock, opened)
        return opened
    }

    private func openNow() throws(BelfryError) -> Opened {
        let store = try DeviceStore(
            directory: configuration.directory,
            limits: configuration.queueLimits,
            probe: probe
        )
        let state = try DeviceState(store: store, makeUUID: makeUUID)
        if !state.privacy.takesEvents { store.takesEvents.withLock { $0 = false } }
        // The process may have died between the wipe and the overwriting of the deleted data.
        if state.privacy.rest != nil { store.shred() }
        pushFilter.withLock { $0 = state.pushFilter }
        triggers.setNames(try store.inAppEvents())
        // Events before the start belong to no session of this run.
        context.withLock { $0 = TrackingContext(owner: state.sync.link.owner) }
        return Opened(store: store, state: state)
    }
}
