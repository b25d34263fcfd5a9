import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryStore
import Foundation

/// The caller of the device API, as the headers of one request describe it.
package struct Caller: Sendable {
    package var app: AppRecord
    package var client: DeviceID
    /// `X-Client-State`, as it was received.
    package var state: String?
    /// `X-Contact-Token`, as it was received.
    package var token: String?
    package var order: RequestOrder
    /// The caller's network, by ``RequestLimits/network(peer:forwardedFor:)``. Nil when calls are not counted.
    package var network: IPAddress?
    /// The quota that a device counts against if this call creates it (SEC-2). Nil when devices are not counted.
    package var newDeviceQuota: NewDeviceQuota?
    /// The budget for the contacts that a link creates (SEC-9). Nil when they are not counted.
    package var linkBudget: LinkBudget?
    /// The installation that the caller proves to be, by ``CallerAuthentication/installation(shownBy:)``.
    package var shown: ShownInstallation?
    /// Nil when the device's clock is right, or when the device does not tell its time (EVT-9).
    package var clockOffset: ClockOffset?
    /// The calling client of Mobile Engage v3. Nil for any other client (WIRE-29).
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
    /// Counts an installation that is about to be created for the caller, who proves to be none (SEC-2, SEC-9). Throws
    /// when the limit is reached.
    func admitInstallation() throws(ServiceError) {
        if let linkBudget { try linkBudget.admitInstallation() } else { try newDeviceQuota?.admit() }
    }
}

/// A client of Mobile Engage v3, as it describes itself in the headers of each call.
package struct V3Caller: Hashable, Sendable {
    package let version: String
    /// Whether it is a development build, whose push tokens belong to Apple's sandbox. No other field tells.
    package let isDebugBuild: Bool

    /// Nil for a caller without the version header.
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
    /// The epoch of the installation, which tells it from others in the device's row.
    package let epoch: Int64
    package let order: RequestOrder
    package let clockOffset: ClockOffset?
    /// Whether a client of Mobile Engage v3 calls (WIRE-29).
    let isV3: Bool

    package var installation: ShownInstallation { ShownInstallation(device: device, epoch: epoch) }
    /// The order of the properties in this call (WIRE-21).
    var propertyOrder: PropertyOrder { PropertyOrder(generation: generation, milliseconds: order.milliseconds) }
}

/// How much a caller proves to a device that its id names. An id is a name and no proof (WIRE-20).
enum CallerAuthLevel: Hashable, Sendable {
    /// Only the id. It gives no access to an installation that somebody has linked.
    case unauthenticated
    /// The state of the installation from before its first link, as long as nobody has used a link: the response with a
    /// newer state may have been lost. It proves no contact.
    case unlinked
    /// The state of a contact that this installation has left: the response with a newer state may have been lost. It
    /// proves the installation, but no contact.
    case installation
    /// A state or token proves that the caller is linked to the device's contact.
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
        // A token from before any link proves nothing, so the call does not count for the installation that it names.
        guard token.generation > 0 else {
            throw .unauthorized(code: "contactTokenInvalid", message: Self.endedToken)
        }
        return AuthenticatedCaller(
            app: caller.app, client: caller.client, device: token.device, generation: token.generation,
            epoch: token.epoch, order: caller.order, clockOffset: caller.clockOffset, isV3: caller.v3 != nil
        )
    }

    /// The installation that a call proves to come from, as far as that can be told without reading the store. Nil when
    /// it shows only an id. That installation may have ended and may not be the one of the device's present owner.
    package func installation(shownBy caller: Caller) -> ShownInstallation? {
        if let text = caller.token, let token = verified.find(text) ?? verify(text), token.generation > 0,
            token.app == caller.app.code.rawValue, token.clientID == caller.client.canonical
        {
            return ShownInstallation(device: token.device, epoch: token.epoch)
        }
        // Anybody can get a state that proves no contact.
        guard let state = ClientStateHeader(caller.state, for: caller.client.canonical, with: keys), state.contact > 0
        else {
            return nil
        }
        return ShownInstallation(device: state.device, epoch: state.epoch)
    }

    /// The state that a device showed, if this server has signed it for the device. A response without a newer state
    /// returns it.
    package func knownState(_ text: String?, client: String?) -> String? {
        guard let client, ClientStateHeader(text, for: DeviceID.canonical(of: client), with: keys) != nil else {
            return nil
        }
        return text
    }

    /// Whether this server signed the contact token and the token has not expired. It does not check whose token it is,
    /// or whether a newer one has replaced it.
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

/// A response of the device API with what each response carries besides its body.
package struct DeviceCallResult<Value: Sendable>: Sendable {
    package let value: Value
    /// The new `X-Client-State`.
    package let clientState: String
}
