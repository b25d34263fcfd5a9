import BelfryStore

/// The bells between the services of one server, and between the servers of one database (FLEET-1).
package struct ServiceSignals: Sendable {
    /// Registrations were received.
    package let registrations: AsyncSignal
    /// A campaign was launched or changed.
    package let campaigns: AsyncSignal
    /// An in-app campaign was launched or changed, or a device is owed a silent push.
    package let silentPushes: AsyncSignal
    /// Somebody has asked for a rehearsal.
    package let rehearsals: AsyncSignal

    /// - Parameter tell: tells the other processes that there is work of this kind.
    package init(telling tell: @escaping @Sendable (SharedWork) -> Void = { _ in }) {
        registrations = AsyncSignal { tell(.registrations) }
        campaigns = AsyncSignal { tell(.campaigns) }
        silentPushes = AsyncSignal { tell(.silentPushes) }
        rehearsals = AsyncSignal { tell(.rehearsals) }
    }

    /// Another process has told of work.
    package func hear(_ work: SharedWork) {
        switch work {
        case .registrations: registrations.signal()
        case .campaigns: campaigns.signal()
        case .silentPushes: silentPushes.signal()
        case .rehearsals: rehearsals.signal()
        }
    }
}

/// A bell between services: whoever makes work rings it, the one service that waits for work hears it.
/// Rings while nobody listens are remembered as one.
package struct AsyncSignal: Sendable {
    package let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let tellOthers: @Sendable () -> Void

    /// - Parameter tellOthers: tells the services of other processes that wait for the same work.
    package init(tellingOthers tellOthers: @escaping @Sendable () -> Void = {}) {
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.tellOthers = tellOthers
    }

    /// Rings in this process: a service looks again, or was told of work by another process.
    package func signal() {
        continuation.yield()
    }

    /// Rings in every process of the database: there is new work, and it is committed.
    package func announce() {
        signal()
        tellOthers()
    }
}
