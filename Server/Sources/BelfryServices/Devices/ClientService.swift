import BelfryCampaigns
import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// Device properties and push tokens (WIRE-1, WIRE-5).
package struct ClientService: Sendable {
    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment) {
        self.database = database
        self.keys = keys
        self.environment = environment
    }

    /// Stores device properties. They come before any link, so they need no contact token.
    ///
    /// - Parameter channel: a notification channel that the app has on Android.
    package func putProperties(
        _ system: SystemProperties, osPushEnabled: Bool?, channel: String? = nil, caller: Caller
    ) async throws -> DeviceCallResult<Void> {
        let now = environment.now()
        return try await database.write { [keys, environment] connection in
            let former = try WaitingRegistrations(connection: connection, environment: environment).applied(
                to: CallerLookup(connection: connection)
                    .device(named: caller, admitsWhoHasLeft: false, keys: keys, now: now)
            )
            var device = former
            let trusted = keys.vouches(caller, for: device)
            // A caller who only knows the id can neither block the device by an order from the future nor change how it
            // is reached. Before the first link every caller proves the same, so nobody is the owner yet.
            let isOwner = trusted && device.contact != nil
            let milliseconds = isOwner ? caller.order.milliseconds : min(caller.order.milliseconds, now.milliseconds)
            let order = PropertyOrder(
                generation: keys.generation(shownBy: caller, to: device) ?? device.linkGeneration,
                milliseconds: milliseconds
            )
            if device.accepts(order, over: device.propertiesOrder) {
                device.propertiesOrder = order
                device.system = device.system.updated(
                    by: trusted || device.contact == nil ? system : system.withoutPlatform
                )
                // An id is a name and no proof: a caller who does not prove to be the linked device cannot opt anybody
                // out.
                if trusted || device.contact == nil {
                    device.takeConsent(fromProperties: osPushEnabled, now: now)
                    device.take(caller.v3, channel: channel)
                }
                device.updatedAt = now
                try connection.devices.save(device, unless: former)
            }
            return DeviceCallResult(value: (), clientState: keys.state(of: former, for: caller))
        }
    }

    /// Registers a push token. A repeated call changes nothing (WIRE-5).
    package func putPushToken(
        _ token: PushToken, v3: V3Caller? = nil, caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<Void> {
        let now = environment.now()
        return try await database.write { [keys, environment] connection in
            let former = try WaitingRegistrations(connection: connection, environment: environment).applied(
                to: CallerLookup(connection: connection).device(of: caller)
            )
            var device = former
            if device.accepts(caller.propertyOrder, over: device.tokenOrder) {
                let move = PushTokenMove(
                    connection: connection, token: token, order: caller.propertyOrder, registeredAt: now,
                    waited: false, count: environment.tokenMoves
                )
                let holders = try move.apply(to: &device)
                device.take(v3)
                if device.revision == 0, device.optOut?.reason == .user { device.optOut = nil }
                try connection.devices.save(device, unless: former)
                try Takeover(connection: connection, settings: caller.app.settings, now: now)
                    .offer(to: device, from: holders)
            }
            return DeviceCallResult(value: (), clientState: keys.state(of: device))
        }
    }

    /// Removes the push token. For a device that never sent a snapshot, this counts as the user's opt-out (REG-22).
    package func deletePushToken(caller: AuthenticatedCaller) async throws -> DeviceCallResult<Void> {
        let now = environment.now()
        return try await database.write { [keys, environment] connection in
            let former = try WaitingRegistrations(connection: connection, environment: environment).applied(
                to: CallerLookup(connection: connection).device(of: caller)
            )
            var device = former
            if device.accepts(caller.propertyOrder, over: device.tokenOrder) {
                device.tokenOrder = caller.propertyOrder
                device.pushToken = nil
                device.tokenAt = nil
                if device.revision == 0, device.optOut?.reason != .user {
                    device.optOut = OptOut(reason: .user, at: now)
                }
                device.updatedAt = now
                try connection.devices.save(device, unless: former)
            }
            return DeviceCallResult(value: (), clientState: keys.state(of: device))
        }
    }

    /// Throws if the caller's link no longer counts. For calls that need nothing else.
    package func checkLink(of caller: AuthenticatedCaller) async throws -> DeviceCallResult<Void> {
        let link = try await database.read(for: caller) { _, _ in }.link
        return DeviceCallResult(value: (), clientState: keys.state(of: link, client: caller.client))
    }

    /// The erasure of a caller whose call was refused. Nil when it was refused for another reason.
    package func erasure(of caller: Caller) async throws -> Erasure? {
        try await database.read { [keys] in try CallerLookup(connection: $0).erasure(of: caller, keys: keys) }
    }

    /// Reads a device's text as a token of its push service (WIRE-5).
    package func pushToken(
        _ raw: String, provider: PushProvider, environment: PushEnvironment
    ) throws(ServiceError) -> PushToken {
        do {
            return try self.environment.pushTokens.token(raw, provider: provider, environment: environment)
        } catch {
            throw .invalid(field: "pushToken", error)
        }
    }

    /// The platform of the caller's device, which decides the provider of a token that names none.
    package func platform(of caller: AuthenticatedCaller) async throws -> String? {
        try await database.read { try $0.devices.findAnywhere(id: caller.device)?.system.platform }
    }
}
