import BelfryStore

/// Counts the content of one caller's bodies (SEC-9): bytes before they are read as JSON, for the sender; bytes after
/// that, for the app, so that invalid data does not use up its budget; events before they are stored. It counts for the
/// installation that the call proves, whichever token proves it.
package struct UploadMeter: Sendable {
    private let limits: RequestLimits
    /// The caller and its address.
    private let senders: [UploadPayer]
    private let app: UploadPayer

    fileprivate init(limits: RequestLimits, own: UploadPayer, network: IPAddress?, app: Int64) {
        self.limits = limits
        senders = if let network { [own, .address(network)] } else { [own] }
        self.app = .app(app)
    }

    private var payers: [UploadPayer] { senders + [app] }

    /// Counts a body for its sender.
    ///
    /// - Parameter bytes: after decompression.
    package func admit(bytes: Int) throws(ServiceError) {
        guard let counting = limits.counting,
            let excess = counting.bytes.take(bytes, from: senders, now: limits.now())
        else { return }
        throw limits.limitError(excess)
    }

    /// Counts a valid body for its app, and its events for all payers, including events that are rejected individually.
    /// If it is rejected here, the sender still pays for its bytes, because it was read.
    package func admitRead(bytes: Int, events: Int = 0) throws(ServiceError) {
        guard let counting = limits.counting else { return }
        let now = limits.now()
        if let excess = counting.bytes.take(bytes, from: [app], now: now) { throw limits.limitError(excess) }
        guard let excess = counting.events.take(events, from: payers, now: now) else { return }
        counting.bytes.putBack(bytes, to: [app])
        throw limits.limitError(excess)
    }

    /// Counts a body that was read, and stores it. If the database cannot accept it now, it counts for nobody, because
    /// it will be sent again.
    package func storing<Value: Sendable>(
        bytes: Int, events: Int = 0, _ store: () async throws -> Value
    ) async throws -> Value {
        try admitRead(bytes: bytes, events: events)
        do {
            return try await store()
        } catch let error where error.meansTryAgain {
            takeBack(bytes: bytes, events: events)
            throw error
        }
    }

    /// Counts a body and its events without an error. If it returns false, the body takes another way and is counted
    /// there.
    package func grants(bytes: Int, events: Int) -> Bool {
        guard let counting = limits.counting else { return true }
        let payers = self.payers
        let now = limits.now()
        guard counting.bytes.take(bytes, from: payers, now: now) == nil else { return false }
        guard counting.events.take(events, from: payers, now: now) == nil else {
            counting.bytes.putBack(bytes, to: payers)
            return false
        }
        return true
    }

    /// Undoes the count of content that is counted elsewhere, or was not stored.
    package func takeBack(bytes: Int, events: Int) {
        guard let counting = limits.counting else { return }
        counting.bytes.putBack(bytes, to: payers)
        counting.events.putBack(events, to: payers)
    }
}

extension RequestLimits {
    /// The payers of a call's content. A call that proves nothing about its device is paid for by its address; if
    /// addresses are not counted, by the id that it names.
    package func meter(of caller: Caller) -> UploadMeter {
        let named = UploadPayer.device(CallPayer(caller.client, of: caller.app.id, showing: caller.shown))
        let own = caller.shown == nil ? caller.network.map(UploadPayer.unauthenticated) ?? named : named
        return UploadMeter(limits: self, own: own, network: caller.network, app: caller.app.id)
    }

    /// The payers of a call's content, for a caller whose token was checked.
    ///
    /// - Parameter network: the caller's address, by ``network(peer:forwardedFor:)``.
    package func meter(of caller: AuthenticatedCaller, from network: IPAddress?) -> UploadMeter {
        UploadMeter(
            limits: self, own: .device(.installation(caller.installation)), network: network, app: caller.app.id
        )
    }

    /// Counts a form of somebody who is not signed in, and its body, before any of it is read.
    ///
    /// - Parameters:
    ///   - bytes: the length that the header announces, or the maximum.
    ///   - network: the address by ``network(peer:forwardedFor:)``. Nil when addresses are not counted.
    package func admitForm(bytes: Int, from network: IPAddress?) throws(ServiceError) {
        guard let counting, let network else { return }
        try newDeviceQuota(of: network)?.admitCall()
        let payers = [UploadPayer.unauthenticated(network), .address(network)]
        if let excess = counting.bytes.take(bytes, from: payers, now: now()) { throw limitError(excess) }
    }

    /// The budget for the contacts and installations that a link creates.
    package func linkBudget(of caller: Caller) -> LinkBudget? {
        guard counting != nil else { return nil }
        let payer = CallPayer(caller.client, of: caller.app.id, showing: caller.shown)
        return LinkBudget(limits: self, payer: payer, newDeviceQuota: caller.newDeviceQuota)
    }

    fileprivate func limitError(_ excess: UploadBudget.Excess) -> ServiceError {
        limitError(excess.limit, excess.rule, excess.wait)
    }
}
