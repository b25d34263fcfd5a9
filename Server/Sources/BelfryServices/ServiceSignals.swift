import BelfryStore

/// Signals between the services of one server, and between the servers of one database (FLEET-1).
package struct ServiceSignals: Sendable {
    /// Rung when registrations were received.
    package let registrations: AsyncSignal
    /// Rung when a campaign was launched or changed.
    package let campaigns: AsyncSignal
    /// Rung when an in-app campaign was launched or changed, or when a device is to get a silent push.
    package let silentPushes: AsyncSignal
    /// Rung when somebody has asked for a rehearsal.
    package let rehearsals: AsyncSignal

    /// - Parameter tell: tells the other processes that there is work of this kind.
    package init(telling tell: @escaping @Sendable (SharedWork) -> Void = { _ in }) {
        registrations = AsyncSignal { tell(.registrations) }
        campaigns = AsyncSignal { tell(.campaigns) }
        silentPushes = AsyncSignal { tell(.silentPushes) }
        rehearsals = AsyncSignal { tell(.rehearsals) }
    }

    /// Handles a message of another process that there is work.
    package func hear(_ work: SharedWork) {
        switch work {
        case .registrations: registrations.signal()
        case .campaigns: campaigns.signal()
        case .silentPushes: silentPushes.signal()
        case .rehearsals: rehearsals.signal()
        }
    }
}

/// A bell between services: a service that creates work rings it, and the one service that waits for such work hears
/// it. All rings while nobody listens count as one.
package struct AsyncSignal: Sendable {
    package let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let tellOthers: @Sendable () -> Void

    /// - Parameter tellOthers: notifies the services of other processes that wait for the same work.
    package init(tellingOthers tellOthers: @escaping @Sendable () -> Void = {}) {
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.tellOthers = tellOthers
    }

    /// Rings in this process only: a service looks for work again, or another process has announced some.
    package func signal() {
        continuation.yield()
    }

    /// Rings in every process of the database: there is new work, and it is committed.
    package func announce() {
        signal()
        tellOthers()
    }
}
