import BelfryStore

/// Counts what one caller's bodies bring (SEC-9): bytes before they are read as JSON, for who sends them; for the app
/// once they are read, so that nobody uses up with rubbish what it is granted; events before they are stored. It counts
/// for the installation that the call shows, whatever token it shows it by.
package struct UploadMeter: Sendable {
    private let limits: RequestLimits
    /// Who calls, and from where.
    private let senders: [UploadPayer]
    private let app: UploadPayer

    fileprivate init(limits: RequestLimits, own: UploadPayer, network: IPAddress?, app: Int64) {
        self.limits = limits
        senders = if let network { [own, .address(network)] } else { [own] }
        self.app = .app(app)
    }

    private var payers: [UploadPayer] { senders + [app] }

    /// Counts a body for who sends it.
    ///
    /// - Parameter bytes: without its coding.
    package func admit(bytes: Int) throws(ServiceError) {
        guard let counting = limits.counting,
            let excess = counting.bytes.take(bytes, from: senders, now: limits.now())
        else { return }
        throw limits.limitError(excess)
    }

    /// Counts a body that was read and has no fault, for its app, and its events for all, those too that are refused one
    /// by one. When it is refused, who sent it has still had it read.
    package func admitRead(bytes: Int, events: Int = 0) throws(ServiceError) {
        guard let counting = limits.counting else { return }
        let now = limits.now()
        if let excess = counting.bytes.take(bytes, from: [app], now: now) { throw limits.limitError(excess) }
        guard let excess = counting.events.take(events, from: payers, now: now) else { return }
        counting.bytes.putBack(bytes, to: [app])
        throw limits.limitError(excess)
    }

    /// Counts a body that was read, and has it stored. What the database cannot take now counts for nobody: it is sent
    /// again.
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

    /// Counts a body and its events without a word of refusal: what is not granted goes another way, and is counted
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

    /// Takes back what was granted: it is counted elsewhere, or was not stored.
    package func takeBack(bytes: Int, events: Int) {
        guard let counting = limits.counting else { return }
        counting.bytes.putBack(bytes, to: payers)
        counting.events.putBack(events, to: payers)
    }
}

extension RequestLimits {
    /// Who pays for what a call brings. One that shows nothing of its device is paid for by its address; where addresses
    /// are not counted, by the id that it names.
    package func meter(of caller: Caller) -> UploadMeter {
        let named = UploadPayer.device(CallPayer(caller.client, of: caller.app.id, showing: caller.shown))
        let own = caller.shown == nil ? caller.network.map(UploadPayer.unauthenticated) ?? named : named
        return UploadMeter(limits: self, own: own, network: caller.network, app: caller.app.id)
    }

    /// The same for a caller whose token was checked.
    ///
    /// - Parameter network: where it calls from, by ``network(peer:forwardedFor:)``.
    package func meter(of caller: AuthenticatedCaller, from network: IPAddress?) -> UploadMeter {
        UploadMeter(
            limits: self, own: .device(.installation(caller.installation)), network: network, app: caller.app.id
        )
    }

    /// Who pays for what a link makes.
    package func linkBudget(of caller: Caller) -> LinkBudget? {
        guard counting != nil else { return nil }
        let payer = CallPayer(caller.client, of: caller.app.id, showing: caller.shown)
        return LinkBudget(limits: self, payer: payer, newDeviceQuota: caller.newDeviceQuota)
    }

    fileprivate func limitError(_ excess: UploadBudget.Excess) -> ServiceError {
        limitError(excess.limit, excess.rule, excess.wait)
    }
}
