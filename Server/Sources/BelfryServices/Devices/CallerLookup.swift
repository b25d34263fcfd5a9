import BelfryModel
import BelfryStore
import Foundation

/// The device that a call of the device API is for: looked up first in the transaction of the call, which goes on with
/// it (WIRE-20, WIRE-22).
struct CallerLookup {
    let connection: any SQLConnection

    /// The installation that the caller shows to be; else the one under its id that nobody has linked yet, made when
    /// there is none and the caller's address may make one more (SEC-2). With an id alone, which can be guessed, nobody
    /// gets into the installation of another, ends it or takes anything from it (WIRE-20).
    func device(named caller: Caller, keys: ServerKeys, now: Date) throws -> DeviceRow {
        if let device = try shownDevice(of: caller, keys: keys) { return device }
        try refuseErased(caller.client, app: caller.app)
        if let device = try connection.devices.unlinked(app: caller.app.id, client: caller.client) { return device }
        if let budget = caller.linkBudget {
            try budget.admitInstallation()
        } else {
            try caller.newDeviceQuota?.admit()
        }
        return try connection.devices.insert(app: caller.app.id, client: caller.client, now: now)
    }

    private func shownDevice(of caller: Caller, keys: ServerKeys) throws -> DeviceRow? {
        for number in keys.devices(shownBy: caller) {
            guard let device = try connection.devices.find(id: number), device.app == caller.app.id,
                device.client == caller.client, keys.authLevel(of: caller, to: device) != .unauthenticated
            else { continue }
            return device
        }
        return nil
    }

    /// The link of the caller's device; ends earlier link generations once a newer one is used (WIRE-20), and refuses
    /// theirs.
    func link(of caller: AuthenticatedCaller) throws -> DeviceLink {
        let link = try shownLink(of: caller)
        if caller.generation > link.confirmedGeneration {
            try connection.devices.confirmGeneration(caller.generation, of: link.id)
            // Before the first there is none.
            if caller.generation > 1 {
                try connection.refreshTokens.deleteOlder(than: caller.generation, device: link.id)
            }
        }
        return link
    }

    /// The link of the caller's device, as far as it can be told without a write: refuses link generations that have
    /// ended, and ends none.
    private func shownLink(of caller: AuthenticatedCaller) throws -> DeviceLink {
        guard let link = try connection.devices.link(id: caller.device), link.app == caller.app.id,
            caller.generation >= link.confirmedGeneration, caller.generation <= link.linkGeneration
        else {
            try refuseErased(caller.client, app: caller.app)
            throw ServiceError.unauthorized(
                code: "contactTokenInvalid", message: CallerAuthentication.endedToken
            )
        }
        return link
    }

    /// The caller's device, whole.
    func device(of caller: AuthenticatedCaller) throws -> DeviceRow {
        let link = try link(of: caller)
        guard let device = try connection.devices.find(id: link.id) else {
            throw StoreError.corrupted(table: "devices", key: String(link.id))
        }
        return device
    }

    /// An erased installation stays away: whatever it calls is answered with 410 (REG-36). It is asked for only where a
    /// device is missing, so that those that are there pay nothing for it.
    func refuseErased(_ client: DeviceID, app: AppRecord) throws {
        guard try connection.erasedDevices.contains(client, app: app.id) else { return }
        throw ServiceError.gone(
            code: "erased", message: "This installation was erased. Delete all its data and send nothing more."
        )
    }

    /// Nil when the caller's token ends earlier ones, which is to be written down.
    fileprivate func read<Value>(
        for caller: AuthenticatedCaller, _ body: CallerRead<Value>
    ) throws -> (link: DeviceLink, value: Value)? {
        let link = try shownLink(of: caller)
        guard caller.generation <= link.confirmedGeneration else { return nil }
        return (link, try body(connection, link))
    }
}

/// What is read for a caller, of whose device the link is known.
typealias CallerRead<Value> = @Sendable (_ connection: any SQLConnection, _ link: DeviceLink) throws -> Value

extension SQLDatabase {
    /// Reads for a caller: one view of the store, and no write. Only the first use of a newer link's token, which ends
    /// the earlier ones (WIRE-20), is written down, and reads there.
    func read<Value: Sendable>(
        for caller: AuthenticatedCaller, _ body: @escaping CallerRead<Value>
    ) async throws -> (link: DeviceLink, value: Value) {
        if let response = try await read({ try CallerLookup(connection: $0).read(for: caller, body) }) {
            return response
        }
        return try await write { connection in
            let link = try CallerLookup(connection: connection).link(of: caller)
            return (link, try body(connection, link))
        }
    }

    /// The same for a caller who goes on; nil for that first use.
    func readOnly<Value: Sendable>(
        for caller: AuthenticatedCaller, _ body: @escaping CallerRead<Value>,
        completion: @escaping @Sendable (Result<(link: DeviceLink, value: Value)?, any Error>) -> Void
    ) {
        read({ try CallerLookup(connection: $0).read(for: caller, body) }, completion: completion)
    }
}
