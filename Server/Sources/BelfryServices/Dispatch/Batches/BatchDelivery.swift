import BelfryModel
import BelfryStore
import Foundation

/// One round over one leased batch: it decides, sends, writes each outcome as it arrives, and gives the batch back.
struct BatchDelivery: Sendable {
    let batch: Batch
    /// Whether this is a counted attempt, because the batch may crash the process (SEC-8).
    let isAlone: Bool
    let owner: String
    let pipeline: PushPipeline
    /// Called when outcomes of a counted attempt are written.
    let onProgress: @Sendable () async -> Void

    /// Sends what is due. ``giveBack()`` must follow.
    ///
    /// - Returns: the campaign, if it cannot continue.
    func run() async throws -> FailedCampaign? {
        do {
            try await hastenRetries()
            let now = pipeline.environment.now()
            let load = try await pipeline.database.read { [batch] connection in
                try BatchContext.forRound(over: batch, now: now, in: connection)
            }
            guard let load else { return nil }
            try await deliver(load, now: now)
            return nil
        } catch BatchContextError.unusableContent(let error) {
            // The content can no longer be compiled, so neither pushes nor messages can be built.
            let reason = Self.unusableContent(error)
            try await pipeline.database.write { [batch] connection in
                try connection.campaigns.pauseSending(batch.campaign, because: reason, placesOn: false)
            }
            return nil
        } catch let error where error.meansUnreadable {
            // A retry would fail again.
            let now = pipeline.environment.now()
            return try await pipeline.database.write { [batch] connection in
                try CampaignEnd(connection: connection, now: now).failCorrupt(batch.campaign.number)
            }
        }
    }

    /// Makes retries due now after a resume, or after a clock was set back (REG-33, REL-6). The batch is marked until
    /// its devices' rows are changed, in the same transaction, so that another worker does it if this one dies before.
    private func hastenRetries() async throws {
        guard try await pipeline.database.read({ [batch] in try $0.batches.isHastened(batch) }) else { return }
        // Not synced: what a power failure undoes is done again.
        try await pipeline.database.write(turn: .unsynced) { [batch] connection in
            guard try connection.batches.endHastening(of: batch) else { return }
            try connection.deliveries.hasten(batch)
        }
    }

    /// Places messages, then sends pushes: nothing about the pushes holds up the placing (MC-16).
    private func deliver(_ load: BatchContext, now: Date) async throws {
        var load = load
        var badgePushes: [Candidate] = []
        if load.center != nil {
            guard let placed = try await place(load, now: now) else { return }
            load.recipients = placed.recipients
            badgePushes = placed.badgePushes
        }
        guard load.row.sends, let accountStates = try await accountStates(load, now: now) else { return }
        let candidates = try await load.isPlacing ? badgePushes : pushes(load, now: now)
        guard let candidates, !candidates.isEmpty else { return }
        guard load.style != .silent else {
            return try await deliverSilently(candidates, load, accountStates: accountStates, now: now)
        }
        var exchange = pipeline.exchange(messages(of: load), accountStates: accountStates, now: now)
        if load.badge == nil {
            _ = try await send(candidates, load, by: &exchange)
        } else {
            try await sendBadged(candidates, load, by: &exchange)
        }
    }

    /// Who gets the campaign's push now; nil when nothing more may be sent.
    private func pushes(_ load: BatchContext, now: Date) async throws -> [Candidate]? {
        var selection = CandidateSelection(load, now: now)
        var (candidates, results) = selection.candidates()
        candidates = try await withinRate(candidates, load)
        candidates = try await withinCap(candidates, load, &results)
        return try await write(results, load) ? candidates : nil
    }

    func messages(of load: BatchContext) -> CampaignMessages {
        CampaignMessages(load, tagKey: pipeline.keys.recipientMark)
    }

    /// The state of the app's account at each push service; nil if the campaign had to be paused.
    private func accountStates(
        _ load: BatchContext, now: Date
    ) async throws -> [PushProvider: PushAccounts.AccountState]? {
        do {
            return try await pipeline.accounts.accountStates(for: load, now: now)
        } catch let error as PushAccounts.Unreadable {
            try await pause(error.sentence, credentials: (load.row.app, error.provider, error.record))
            return nil
        }
    }

    private static func unusableContent(_ error: String?) -> String {
        "Its content can no longer be rendered. \(error.map { "\($0) " } ?? "")"
            + "Cancel it and create a new campaign with other content."
    }

    /// Pauses the campaign because of an error that affects every push and that only an operator can fix.
    ///
    /// - Parameter credentials: the credentials with the error. If they were replaced in the meantime, the campaign is
    ///   not paused.
    private func pause(
        _ reason: String, credentials: (app: Int64, provider: PushProvider, record: CredentialRecord)
    ) async throws {
        try await pipeline.database.write { [batch] connection in
            let record = try connection.credentials.find(app: credentials.app, provider: credentials.provider)
            guard record?.revision == credentials.record.revision else { return }
            try connection.campaigns.pauseSending(batch.campaign, because: reason)
        }
    }

    /// Writes ledger rows, opt-outs and the campaign's circuit breaker in one transaction.
    ///
    /// - Parameter isPlacing: whether messages are being placed; a pause of the pushes by the server does not stop
    ///   that.
    /// - Returns: whether more may be sent: the campaign is still sending, and this worker still has the lease.
    func write(_ results: [DeliveryResult], _ load: BatchContext, isPlacing: Bool = false) async throws -> Bool {
        guard !results.isEmpty else { return true }
        let results = load.isPlacing ? results.map { $0.inLedger(of: load) } : results
        // Not synced: what a power failure undoes is sent again, with the same id. The batch's end is synced.
        let mayContinue = try await pipeline.write(
            of: BatchOutcomes.writing, turn: load.isPlacing ? .next : .unsynced
        ) { now in
            BatchOutcomes(
                batch: batch, load: load, results: results, owner: owner, isAlone: isAlone, isPlacing: isPlacing,
                now: now
            )
        }
        pipeline.metrics.countDeliveries(results)
        pipeline.rejections.count(results)
        trace(results, load)
        if isAlone { await onProgress() }
        return mayContinue
    }

    /// Sends the results' spans to the collector, if there is one, without waiting for it.
    func trace(_ results: [DeliveryResult], _ load: BatchContext) {
        guard let traces = pipeline.traces else { return }
        traces.add(TraceSpan.spans(of: results, load, now: pipeline.environment.now()))
    }

    /// Sends to candidates, and writes each outcome as it arrives. If the campaign is paused or cancelled in the
    /// meantime, the rest stays pending.
    ///
    /// - Returns: whether more may be sent.
    func send(
        _ candidates: [Candidate], _ load: BatchContext, by exchange: inout PushExchange<CampaignMessages>
    ) async throws -> Bool {
        let wait = ResponseWait(
            subject: .batch(batch), database: pipeline.database, environment: pipeline.environment
        )
        return try await exchange.send(candidates, uncounted: isAlone ? wait : nil) { attempts in
            try await write(results(of: attempts, load), load)
        }
    }

    func results(of attempts: [CompletedAttempt], _ load: BatchContext) -> [DeliveryResult] {
        attempts.map { .after($0, load, jitter: pipeline.environment.jitter) }
    }

    func giveBack() async throws {
        let now = pipeline.environment.now()
        try await pipeline.database.write { [batch, owner, isAlone] connection in
            if isAlone { try connection.workAttempts.end(.batch(batch)) }
            let (dueAt, placeAt) = try connection.deliveries.nextRetry(of: batch)
            try connection.batches.release(
                batch, owner: owner, dueAt: dueAt.map { max($0, now) }, placeAt: placeAt.map { max($0, now) }
            )
            try CampaignEnd(connection: connection, now: now).completeIfDone(batch.campaign)
        }
    }
}
