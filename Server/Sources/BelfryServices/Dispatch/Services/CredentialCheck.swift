import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Asks a push service whether it accepts an app's credentials, without sending anything to a real device (CLI-6): the
/// push is for a device that does not exist, so a response about the device shows that the service knows the sender.
package struct CredentialCheck: Sendable {
    private static let content = PushContent(title: "Belfry", body: "Check", ttlSeconds: 0)

    private let accounts: PushAccounts
    private let transport: any PushTransport
    private let environment: ServerEnvironment

    package init(accounts: PushAccounts, transport: any PushTransport, environment: ServerEnvironment) {
        self.accounts = accounts
        self.transport = transport
        self.environment = environment
    }

    /// - Parameter app: the app's number.
    package func check(_ provider: PushProvider, app: Int64, record: CredentialRecord) async -> CredentialCheckResult {
        let now = environment.now()
        let state: PushAccounts.AccountState
        do {
            state = try await accounts.accountState(of: app, at: provider, record: record, now: now)
        } catch {
            return .unreadable
        }
        switch state {
        case .failed(let outcome): return CredentialCheckResult(outcome)
        case .ready(let session):
            // Browsers' services do not know senders: anybody with a subscription's key may send.
            guard let token = Self.nobody(at: provider) else { return .accepted }
            do {
                let sender = try session.sender(
                    of: Self.content, style: .alert, extras: .none, format: .belfry, campaign: nil, expiresAt: now
                )
                let message = OutgoingMessage(
                    token: token, id: MessageID(foreign: environment.uuid()), mark: "", texts: []
                )
                let routed = try sender.request(message, now: now)
                return CredentialCheckResult(session.outcome(of: await send(routed), to: routed, now: now))
            } catch {
                return .unknown(reason: "no request could be made")
            }
        }
    }

    private func send(_ routed: RoutedRequest) async -> PushResult {
        await withCheckedContinuation { continuation in
            transport.send([routed.request], by: routed.route) { _, result in continuation.resume(returning: result) }
        }
    }

    /// A token that no device has; nil for a service that does not know senders.
    private static func nobody(at provider: PushProvider) -> PushToken? {
        switch provider {
        case .apns: PushToken(stored: String(repeating: "0", count: 64), provider: .apns, environment: .production)
        case .fcm: PushToken(stored: "belfry:doctor", provider: .fcm, environment: .production)
        case .webpush: nil
        }
    }
}

/// Whether a push service takes an app's credentials.
package enum CredentialCheckResult: Hashable, Sendable {
    case accepted
    /// The service does not know the key, or the key may not send for the app.
    case rejected(reason: String)
    /// The service did not respond about the credentials.
    case unknown(reason: String)
    /// The credentials cannot be decrypted with the server's secret key.
    case unreadable

    /// The meaning of a response to the check's push.
    init(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted, .tokenInvalid, .tokenMalformed, .payloadError: self = .accepted
        case .topicError(let reason):
            // Services report an error of the device's topic or sender only after they have accepted the sender.
            let isOfDevice = ["DeviceTokenNotForTopic", "SENDER_ID_MISMATCH"].contains(reason)
            self = isOfDevice ? .accepted : .rejected(reason: reason)
        case .credentialError(let reason), .credentialExpired(let reason): self = .rejected(reason: reason)
        case .throttled(let reason, _), .unavailable(let reason, _), .unanswered(let reason), .notSent(let reason):
            self = .unknown(reason: reason)
        }
    }
}
