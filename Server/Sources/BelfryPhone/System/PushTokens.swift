import Belfry
import BelfryRules
import Foundation

/// The push tokens of the phone's app: the present or awaited one, and those that the push service must still reject.
///
/// The push service may answer late or not at all, so a person's actions never wait for it. Calls of it are retried, as
/// the system of a real phone does.
actor PushTokens {
    /// The pauses between two attempts, in seconds.
    private static let pause = Backoff.Policy(first: 2, maximum: 60, jitter: 0.5)

    private let service: any PhonePushService
    private let environment: DeviceEnvironment
    private let system: PhoneSystemStore
    private let notes: PhoneNotes
    private let hear: @Sendable (PushServiceNews, _ token: String) async -> Void
    private var connection: PhonePushConnection?
    /// The process of the app that waits for its token.
    private var asker: AppSession?
    private var search: Task<Void, Never>?
    private var loss: Task<Void, Never>?
    private var retirement: Task<Void, Never>?
    private var isOver = false

    /// - Parameter hear: receives the news of a token, one after the other.
    init(
        service: any PhonePushService, environment: DeviceEnvironment, system: PhoneSystemStore, notes: PhoneNotes,
        hear: @escaping @Sendable (PushServiceNews, _ token: String) async -> Void
    ) {
        self.service = service
        self.environment = environment
        self.system = system
        self.notes = notes
        self.hear = hear
    }

    /// Whether the app waits for its token.
    var isWanted: Bool { asker.map { !$0.gate.hasEnded } ?? false }

    /// The connection, created when it is first needed. Pushes before that are not received again.
    private var pushes: PhonePushConnection {
        if let connection { return connection }
        let present = system.current
        let made = PhonePushConnection(
            service: service, token: present.pushToken, after: present.newestPush, hear: hear)
        connection = made
        return made
    }

    /// Receives the pushes for the token that the app had before the phones' program restarted.
    func begin() async {
        retireFormer()
        guard system.current.pushToken != nil else { return }
        await pushes.listen()
    }

    /// Continues the calls that waited for the network.
    func backOnline() async {
        if isWanted { await seek() }
        retireFormer()
    }

    /// The app asks for its token. It gets its present token, or a new one as soon as one is issued.
    func request(for session: AppSession) async {
        guard !session.gate.hasEnded else { return }
        asker = session
        await seek()
    }

    /// Asks the push service until it issues a token.
    private func seek() async {
        let hasToken = await pushes.hasToken
        guard let asker, isWanted, !isOver else { return }
        search?.cancel()
        search = nil
        guard hasToken || system.current.isOnline else {
            return notes.note(.system, "The app gets its token when the phone has a network.")
        }
        search = Task { await self.give(to: asker) }
    }

    private func give(to session: AppSession) async {
        let pushes = pushes
        do {
            let trouble = "The push service gives the app no token yet. The phone asks again by itself."
            guard let token = try await insist(orSay: trouble, { try await pushes.token() }) else { return }
            let isNew = token != system.current.pushToken
            // The token may have been lost before it arrived. Then a new one is requested.
            guard system.change({ $0.take(pushToken: token) }) else { return await seek() }
            if isNew {
                notes.noteToken()
                notes.note(.system, "APNs has given the app a token.")
            }
            await pushes.listen()
            if asker?.gate === session.gate { asker = nil }
            // A suspended app gets the token when it runs again; a killed app does not get it.
            try await session.gate.pass()
            try await session.client.setPushToken(token, environment: .production, provider: .apns)
        } catch is PushServiceMissing {
            asker = nil
            notes.note(.trouble, "This phone has no push service. Start it with --push-control to give it one.")
        } catch is CancellationError {
        } catch {
            guard !session.gate.hasEnded else { return }
            notes.note(.trouble, ErrorSentence.text(of: error))
        }
    }

    /// The app's process has ended. The app asks for the token again at each start.
    func appStopped() {
        search?.cancel()
        asker = nil
    }

    /// Makes the push service reject the token. Until it has confirmed this, the token stays valid.
    func lose() async {
        guard loss == nil else {
            return notes.note(.system, "The push service is still being told that the app's token is lost.")
        }
        let pushes = pushes
        guard await pushes.hasToken else {
            return notes.note(.system, "The app has no push token that could be lost.")
        }
        loss = Task {
            do {
                if let token = try await pushes.lose() {
                    system.change { $0.lose(pushToken: token) }
                    notes.note(
                        .system,
                        "APNs rejects the app's token from now on. The server learns it with its next push.")
                }
            } catch {
                if !Task.isCancelled {
                    notes.note(
                        .trouble, "The push service does not answer, so the app's token is not lost. Try it again.")
                }
            }
            loss = nil
        }
    }

    /// The app was deleted: the phone no longer receives pushes for its token.
    func drop() async {
        loss?.cancel()
        await pushes.drop()
    }

    /// Makes APNs reject the tokens of deleted apps, with retries until it has confirmed each.
    func retireFormer() {
        guard retirement == nil, !isOver, !system.current.formerTokens.isEmpty else { return }
        retirement = Task { [service] in
            let trouble = "The push service does not answer: until it does, it does not know that the app was deleted."
            while system.current.isOnline, let token = system.current.formerTokens.first {
                let isRetired = try? await insist(orSay: trouble) {
                    try await service.retire(token)
                    return true
                }
                guard isRetired == true else { break }
                system.change { $0.retired(token) }
                notes.note(.system, "APNs rejects its former token from now on.")
            }
            retirement = nil
        }
    }

    /// The phone is switched off: ends all calls of the push service, and receives no more pushes.
    func end() async {
        isOver = true
        for work in [search, loss, retirement] { work?.cancel() }
        await connection?.end()
    }

    /// Calls the push service until it succeeds, with growing pauses.
    ///
    /// - Parameter trouble: the inspector's line after the first failure.
    /// - Returns: nil when the call was cancelled, or the phone has no network any more.
    /// - Throws: ``PushServiceMissing``.
    private func insist<Answer: Sendable>(
        orSay trouble: String, _ call: @Sendable () async throws -> Answer
    ) async throws -> Answer? {
        var backoff = Backoff()
        while !Task.isCancelled, !isOver {
            do {
                return try await call()
            } catch let error as PushServiceMissing {
                throw error
            } catch {
                guard !Task.isCancelled else { return nil }
                if backoff.failures == 0 { notes.note(.trouble, trouble) }
                let (now, jitter) = (environment.now(), environment.random)
                backoff.failed(at: now, cause: .server, retryAfter: nil, random: jitter(), policy: Self.pause)
                await environment.sleep(backoff.nextAttempt ?? now)
            }
            guard system.current.isOnline else { return nil }
        }
        return nil
    }
}
