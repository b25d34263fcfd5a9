import BelfryModel
import BelfryRules
import BelfryServerModel
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
    /// Where it comes from, by ``RequestLimits/network(peer:forwardedFor:)``; nil: nobody counts.
    package var network: IPAddress?
    /// Who answers for the device if this call makes it (SEC-2); nil: nobody counts.
    package var newDeviceQuota: NewDeviceQuota?
    /// Who pays for the contacts that a link makes (SEC-9); nil: nobody counts.
    package var linkBudget: LinkBudget?
    /// The installation that it shows to be, by ``CallerAuthentication/installation(shownBy:)``.
    package var shown: ShownInstallation?
    /// Nil when the device's clock is right, or it does not say (EVT-9).
    package var clockOffset: ClockOffset?
    /// The client of Mobile Engage v3 that calls; nil for any other (WIRE-29).
    package var v3: V3Caller?

    package init(
        app: AppRecord, client: DeviceID, state: String?, token: String?, order: RequestOrder,
        clockOffset: ClockOffset? = nil
    ) {
        self.app = app
        self.client = client
        self.state = state
        self.token = token
        self.order = order
        self.clockOffset = clockOffset
    }
}

extension Caller {
    /// Called before an installation is made for the caller, who shows none (SEC-2, SEC-9).
    func admitInstallation() throws(ServiceError) {
        if let linkBudget { try linkBudget.admitInstallation() } else { try newDeviceQuota?.admit() }
    }
}

/// What a client of Mobile Engage v3 says of itself with each call: its headers.
package struct V3Caller: Hashable, Sendable {
    package let version: String
    /// Whether it is a development build, whose tokens are of Apple's sandbox. This is all that tells.
    package let isDebugBuild: Bool

    /// Nil for a caller without the header.
    ///
    /// - Parameters:
    ///   - version: `X-EMARSYS-SDK-VERSION`.
    ///   - mode: `X-EMARSYS-SDK-MODE`.
    package init?(version: String?, mode: String?) {
        guard let version else { return nil }
        let visible = version.unicodeScalars.filter { (0x21...0x7e).contains($0.value) }
        self.version = String(String.UnicodeScalarView(visible.prefix(V3Client.maximumVersionLength)))
        isDebugBuild = mode?.lowercased() == "debug"
    }
}

/// A caller whose contact token was checked: it acts for this device.
package struct AuthenticatedCaller: Sendable {
    package let app: AppRecord
    package let client: DeviceID
    package let device: Int64
    package let generation: Int64
    /// Which installation of the device's row it is.
    package let epoch: Int64
    package let order: RequestOrder
    package let clockOffset: ClockOffset?
    /// Whether a client of Mobile Engage v3 calls (WIRE-29).
    let isV3: Bool

    package var installation: ShownInstallation { ShownInstallation(device: device, epoch: epoch) }
    /// When what the call says was said (WIRE-21).
    var propertyOrder: PropertyOrder { PropertyOrder(generation: generation, milliseconds: order.milliseconds) }
}

/// What a call shows of itself to a device that its id names. An id is a name and no proof (WIRE-20).
enum CallerAuthLevel: Hashable, Sendable {
    /// The id, and no more. It is let into no installation that somebody has linked.
    case unauthenticated
    /// The state of the installation from before its first link, as long as nobody has used a link: the answer with it
    /// may have been lost. It vouches for no contact.
    case unlinked
    /// The state of a contact that this installation has left: the answer with a newer one may have been lost. It is
    /// the same installation, and vouches for no contact.
    case installation
    /// By state or token, that it is linked to the device's contact.
    case linked
}

/// Checks contact tokens (WIRE-22).
package struct CallerAuthentication: Sendable {
    let keys: ServerKeys
    let environment: ServerEnvironment
    private let verified = VerifiedTokens()
    static let endedToken = "A newer link has ended this contact token. Refresh it."

    package init(keys: ServerKeys, environment: ServerEnvironment) {
        self.keys = keys
        self.environment = environment
    }

    package func authenticate(_ caller: Caller) throws(ServiceError) -> AuthenticatedCaller {
        guard let text = caller.token, !text.isEmpty else {
            throw .unauthorized(
                code: "contactTokenMissing", message: "This request needs a contact token. Link the device first."
            )
        }
        guard let token = verified.find(text) ?? verify(text) else {
            throw .unauthorized(code: "contactTokenInvalid", message: "The contact token is not valid.")
        }
        return try authenticate(caller, by: token)
    }

    private func authenticate(_ caller: Caller, by token: ContactToken) throws(ServiceError) -> AuthenticatedCaller {
        guard token.expiresAt > environment.now() else {
            throw .unauthorized(code: "contactTokenExpired", message: "The contact token has expired. Refresh it.")
        }
        guard token.app == caller.app.code.rawValue, token.clientID == caller.client.canonical else {
            throw .unauthorized(
                code: "contactTokenInvalid", message: "The contact token belongs to another device or app."
            )
        }
        // One from before any link shows nothing, and nothing counts for the owner's installation that it names.
        guard token.generation > 0 else {
            throw .unauthorized(code: "contactTokenInvalid", message: Self.endedToken)
        }
        return AuthenticatedCaller(
            app: caller.app, client: caller.client, device: token.device, generation: token.generation,
            epoch: token.epoch, order: caller.order, clockOffset: caller.clockOffset, isV3: caller.v3 != nil
        )
    }

    /// The installation that a call shows to come from, as far as it can be told without a look into the store. Nil: it
    /// shows no more than an id. It may have ended; then it is another than the owner's of today.
    package func installation(shownBy caller: Caller) -> ShownInstallation? {
        if let text = caller.token, let token = verified.find(text) ?? verify(text), token.generation > 0,
            token.app == caller.app.code.rawValue, token.clientID == caller.client.canonical
        {
            return ShownInstallation(device: token.device, epoch: token.epoch)
        }
        // Anybody gets a state that vouches for no contact.
        guard let state = ClientStateHeader(caller.state, for: caller.client.canonical, with: keys), state.contact > 0
        else {
            return nil
        }
        return ShownInstallation(device: state.device, epoch: state.epoch)
    }

    /// The state that a device showed, if it is one of ours for it: what an answer that has no newer one gives back.
    package func knownState(_ text: String?, client: String?) -> String? {
        guard let client, ClientStateHeader(text, for: DeviceID.canonical(of: client), with: keys) != nil else {
            return nil
        }
        return text
    }

    /// Whether a contact token is one of this server's and its time has not passed. Whose it is, and whether a newer one
    /// has ended it, is not asked.
    package func gaveOut(_ token: String) -> Bool {
        guard let token = verified.find(token) ?? verify(token) else { return false }
        return token.expiresAt > environment.now()
    }

    private func verify(_ text: String) -> ContactToken? {
        guard let token = try? ContactToken(verifyingSignatureOf: text, with: keys) else { return nil }
        verified.insert(token, as: text)
        return token
    }
}

/// What every answer of the device API carries back, beside the answer itself.
package struct DeviceCallResult<Value: Sendable>: Sendable {
    package let value: Value
    /// The new `X-Client-State`.
    package let clientState: String
}
