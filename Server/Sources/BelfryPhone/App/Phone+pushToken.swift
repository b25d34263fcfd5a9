import Belfry
import BelfryRules
import Foundation

/// The app's push token. The push service may answer late, or not at all: nothing that a person does waits for it. What
/// it is still to be asked or told is tried again, as the system of a real phone does.
extension Phone {
    /// Between two attempts.
    private static let pause = Backoff.Policy(first: 2, maximum: 60, jitter: 0.5)

    /// The app asks for its token: it gets the one that it has, or a new one as soon as there is one.
    func issueToken() async {
        guard session != nil else { return }
        wantsToken = true
        await seekToken()
    }

    /// From now on the push service is asked until it gives a token.
    func seekToken() async {
        let hasToken = await pushes.hasToken
        guard let session, wantsToken, !isOff else { return }
        tokenSearch?.cancel()
        tokenSearch = nil
        guard hasToken || system.isOnline else {
            return note(.system, "The app gets its token when the phone has a network.")
        }
        tokenSearch = Task { await self.giveToken(to: session) }
    }

    private func giveToken(to session: AppSession) async {
        let pushes = pushes
        do {
            let trouble = "The push service gives the app no token yet. The phone asks again by itself."
            guard let token = try await insist(orSay: trouble, { try await pushes.token() }) else { return }
            let isNew = token != system.pushToken
            // It may have been lost on its way here; then there is another to ask for.
            guard system.take(pushToken: token) else { return await seekToken() }
            if isNew {
                inspector.noteToken(at: world.environment.now())
                keepTokenAges()
                note(.system, "APNs has given the app a token.")
            }
            await pushes.listen()
            if self.session?.gate === session.gate { wantsToken = false }
            // A suspended app hears of it once it runs, and one that was killed does not.
            try await session.gate.pass()
            try await session.client.setPushToken(token, environment: .production, provider: .apns)
        } catch is PushServiceMissing {
            wantsToken = false
            note(.trouble, "This phone has no push service. Start it with --push-control to give it one.")
        } catch is CancellationError {
        } catch {
            guard self.session?.gate === session.gate else { return }
            note(.trouble, ErrorSentence.text(of: error))
        }
    }

    /// The push service is told that the token is lost. Until it has heard of it the token is as good as before.
    func loseToken() async {
        guard tokenLoss == nil else {
            return note(.system, "The push service is still being told that the app's token is lost.")
        }
        let pushes = pushes
        guard await pushes.hasToken else { return note(.system, "The app has no push token that could be lost.") }
        tokenLoss = Task {
            do {
                if let token = try await pushes.lose() {
                    system.lose(pushToken: token)
                    note(
                        .system,
                        "APNs rejects the app's token from now on. The server learns it with its next push.")
                }
            } catch {
                if !Task.isCancelled {
                    note(.trouble, "The push service does not answer, so the app's token is not lost. Try it again.")
                }
            }
            tokenLoss = nil
        }
    }

    /// APNs is told of the tokens of deleted apps, until it has heard of each.
    func retireFormerTokens() {
        guard retirement == nil, !isOff, !system.formerTokens.isEmpty else { return }
        retirement = Task {
            let service = world.pushService
            let trouble = "The push service does not answer: until it does, it does not know that the app was deleted."
            while system.isOnline, let token = system.formerTokens.first {
                let isTold = try? await insist(orSay: trouble) {
                    try await service.retire(token)
                    return true
                }
                guard isTold == true else { break }
                system.retired(token)
                note(.system, "APNs rejects its former token from now on.")
            }
            retirement = nil
        }
    }

    /// Makes a call of the push service until it succeeds, with pauses that grow.
    ///
    /// - Parameter trouble: is told at the first failure.
    /// - Returns: nil when nobody wants it any more, or the phone has left the network meanwhile.
    /// - Throws: ``PushServiceMissing``.
    private func insist<Answer: Sendable>(
        orSay trouble: String, _ call: @Sendable () async throws -> Answer
    ) async throws -> Answer? {
        var backoff = Backoff()
        while !Task.isCancelled, !isOff {
            do {
                return try await call()
            } catch let error as PushServiceMissing {
                throw error
            } catch {
                guard !Task.isCancelled else { return nil }
                if backoff.failures == 0 { note(.trouble, trouble) }
                let (now, jitter) = (world.environment.now(), world.environment.random)
                backoff.failed(at: now, cause: .server, retryAfter: nil, random: jitter(), policy: Self.pause)
                await world.environment.sleep(backoff.nextAttempt ?? now)
            }
            guard system.isOnline else { return nil }
        }
        return nil
    }
}
