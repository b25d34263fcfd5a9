import BelfryStore

/// Counts what one caller's bodies bring: bytes before they are read as JSON, events before they are stored (SEC-9). It
/// counts for the installation that the call shows, whatever token it shows it by.
package struct UploadMeter: Sendable {
    private let limits: RequestLimits
    private let payer: CallPayer
    private let app: Int64

    fileprivate init(limits: RequestLimits, payer: CallPayer, app: Int64) {
        self.limits = limits
        self.payer = payer
        self.app = app
    }

    /// Counts a body.
    ///
    /// - Parameter bytes: without its coding.
    package func admit(bytes: Int) throws(ServiceError) {
        guard let counting = limits.counting else { return }
        if let wait = counting.bytes.take(payer, bytes, now: limits.now()) {
            let rule = "A device sends bodies of at most \(counting.rates.bytes.words("bytes"))."
            throw limits.refusal("deviceBytes", rule, wait)
        }
        guard let budget = counting.rates.app, let wait = counting.appBytes?.take(app, bytes, now: limits.now()) else {
            return
        }
        counting.bytes.putBack(payer, bytes)
        let rule = "All devices of the app send bodies of at most \(budget.bytes.words("bytes"))."
        throw limits.refusal("appBytes", rule, wait)
    }

    /// Counts the events of a body, those too that are refused one by one.
    package func admit(events: Int) throws(ServiceError) {
        guard let counting = limits.counting else { return }
        if let wait = counting.events.take(payer, events, now: limits.now()) {
            let rule = "A device sends at most \(counting.rates.events.words("events"))."
            throw limits.refusal("deviceEvents", rule, wait)
        }
        guard let budget = counting.rates.app, let wait = counting.appEvents?.take(app, events, now: limits.now())
        else { return }
        counting.events.putBack(payer, events)
        let rule = "All devices of the app send at most \(budget.events.words("events"))."
        throw limits.refusal("appEvents", rule, wait)
    }

    /// Counts a body and its events without a word of refusal: what is not granted goes another way, and is counted
    /// there.
    package func grants(bytes: Int, events: Int) -> Bool {
        guard let counting = limits.counting else { return true }
        let now = limits.now()
        guard counting.bytes.take(payer, bytes, now: now) == nil else { return false }
        guard counting.events.take(payer, events, now: now) == nil else {
            counting.bytes.putBack(payer, bytes)
            return false
        }
        guard counting.appBytes?.take(app, bytes, now: now) == nil else {
            counting.bytes.putBack(payer, bytes)
            counting.events.putBack(payer, events)
            return false
        }
        guard counting.appEvents?.take(app, events, now: now) == nil else {
            counting.appBytes?.putBack(app, bytes)
            counting.bytes.putBack(payer, bytes)
            counting.events.putBack(payer, events)
            return false
        }
        return true
    }

    /// Takes back what was granted, for it is counted elsewhere.
    package func takeBack(bytes: Int, events: Int) {
        guard let counting = limits.counting else { return }
        counting.bytes.putBack(payer, bytes)
        counting.events.putBack(payer, events)
        counting.appBytes?.putBack(app, bytes)
        counting.appEvents?.putBack(app, events)
    }
}

extension RequestLimits {
    /// Who pays for what a call brings.
    package func meter(of caller: Caller) -> UploadMeter {
        UploadMeter(
            limits: self, payer: CallPayer(caller.client, of: caller.app.id, showing: caller.shown), app: caller.app.id
        )
    }

    /// The same for a caller whose token was checked.
    package func meter(of caller: AuthenticatedCaller) -> UploadMeter {
        UploadMeter(limits: self, payer: .installation(caller.installation), app: caller.app.id)
    }

    /// Who pays for what a link makes.
    package func linkBudget(of caller: Caller) -> LinkBudget? {
        guard counting != nil else { return nil }
        let payer = CallPayer(caller.client, of: caller.app.id, showing: caller.shown)
        return LinkBudget(limits: self, payer: payer, newcomer: caller.newcomer)
    }
}

extension Quota {
    /// `8388608 bytes a minute and 67108864 a day`
    func words(_ things: String) -> String {
        "\(minute.amount) \(things) a minute" + (day.map { " and \($0.amount) a day" } ?? "")
    }
}
