import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// Who calls the device API: what the headers of one request say.
package struct Caller: Sendable {
    package var app: AppRecord
    package var client: DeviceID
    /// `X-Client-State`, as it came.
    package var state: String?
    /// `X-Contact-Token`, as it came.
    package var token: String?
    package var order: RequestOrder

    package init(app: AppRecord, client: DeviceID, state: String?, token: String?, order: RequestOrder) {
        self.app = app
        self.client = client
        self.state = state
        self.token = token
        self.order = order
    }
}

/// A caller whose contact token was checked: it acts for this device.
package struct AuthenticatedCaller: Sendable {
    package let app: AppRecord
    package let client: DeviceID
    package let device: Int64
    package let generation: Int64
    package let order: RequestOrder
}

/// Checks contact tokens (WIRE-22).
package struct CallerAuthentication: Sendable {
    let keys: ServerKeys
    let environment: ServerEnvironment
    private let verified = VerifiedTokens()

    package init(keys: ServerKeys, environment: ServerEnvironment) {
        self.keys = keys
        self.environment = environment
    }

    package func authenticate(_ caller: Caller) throws(ServiceError) -> AuthenticatedCaller {
        guard let text = caller.token, !text.isEmpty else {
            throw .unauthorized(
                code: "contactTokenMissing", message: "This call needs a contact token: link the device first."
            )
        }
        guard let token = verified.find(text) ?? verify(text) else {
            throw .unauthorized(code: "contactTokenInvalid", message: "The contact token is not valid.")
        }
        guard token.expiresAt > environment.now() else {
            throw .unauthorized(code: "contactTokenExpired", message: "The contact token has expired: refresh it.")
        }
        guard token.app == caller.app.code.rawValue, token.clientID == caller.client.rawValue else {
            throw .unauthorized(
                code: "contactTokenInvalid", message: "The contact token belongs to another device or app."
            )
        }
        return AuthenticatedCaller(
            app: caller.app, client: caller.client, device: token.device, generation: token.generation,
            order: caller.order
        )
    }

    /// The state that a device showed, if it is one of ours for it: what an answer that has no newer one gives back.
    package func knownState(_ text: String?, client: String?) -> String? {
        guard let client, ClientState(text, for: client, with: keys) != nil else { return nil }
        return text
    }

    private func verify(_ text: String) -> ContactToken? {
        guard let token = try? ContactToken(verifyingSignatureOf: text, with: keys) else { return nil }
        verified.insert(token, as: text)
        return token
    }
}

extension SQLConnection {
    /// The caller's device; ends earlier link generations once a newer one is used (WIRE-20), and refuses theirs.
    func device(of caller: AuthenticatedCaller) throws -> DeviceRow {
        guard var device = try devices.find(id: caller.device), device.app == caller.app.id,
            caller.generation >= device.confirmedGeneration, caller.generation <= device.linkGeneration
        else {
            throw ServiceError.unauthorized(
                code: "contactTokenInvalid", message: "A newer link has ended this contact token: refresh it."
            )
        }
        if caller.generation > device.confirmedGeneration {
            try devices.confirmGeneration(caller.generation, of: device.id)
            try refreshTokens.deleteOlder(than: caller.generation, device: device.id)
            device.confirmedGeneration = caller.generation
        }
        return device
    }
}
