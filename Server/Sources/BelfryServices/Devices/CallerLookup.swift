import BelfryModel
import BelfryStore
import Foundation

/// The device that a call of the device API is for: looked up first in the transaction of the call, which goes on with
/// it (WIRE-20, WIRE-22).
struct CallerLookup {
    let connection: any SQLConnection

    /// The installation that the caller shows to be; else one under its id that nobody has linked: the row that was the
    /// caller's own until it was revoked, before any other. One is made when there is none and the caller's address may make
    /// one more (SEC-2). With an id alone, which can be guessed, nobody gets into the installation of another, ends it or
    /// takes anything from it (WIRE-20).
    ///
    /// Who begins anew after an erasure begins a row of its own, in an epoch that its state names: so the same call, whose
    /// answer was lost, finds that row again for as long as nobody has used a link of it.
    ///
    /// - Parameter admitsWhoHasLeft: whether the installation is found by the state of a person who has left: a late copy of
    ///   their link is answered by it, and begins no other (ID-10). What is to be kept is not kept there (SEC-10).
    func device(
        named caller: Caller, admitsWhoHasLeft: Bool = true, keys: ServerKeys, now: Date
    ) throws -> DeviceRow {
        let shown = try shownDevices(of: caller, keys: keys)
        let device = shown.first { device in
            keys.authLevel(of: caller, to: device) != .unauthenticated
                && (admitsWhoHasLeft || !keys.hasLeft(caller, device))
        }
        if let device { return device }
        if let erasure = try erasure(of: caller, keys: keys) { throw erasure.error }
        if let device = shown.first(where: { $0.contact == nil }) { return device }
        let epoch = try epochAfterErasure(of: caller, keys: keys)
        if let device = try installation(of: caller, begunIn: epoch) { return device }
        if let budget = caller.linkBudget {
            try budget.admitInstallation()
        } else {
            try caller.newDeviceQuota?.admit()
        }
        return try connection.devices.insert(app: caller.app.id, client: caller.client, epoch: epoch ?? 0, now: now)
    }

    /// The installation that a caller who shows none has begun before, or may share.
    ///
    /// - Parameter epoch: after an erasure; nil for a caller of whom nothing is known but the id.
    private func installation(of caller: Caller, begunIn epoch: Int64?) throws -> DeviceRow? {
        guard let epoch else { return try connection.devices.unlinked(app: caller.app.id, client: caller.client) }
        return try connection.devices.unconfirmed(app: caller.app.id, client: caller.client, epoch: epoch)
    }

    /// The rows of the caller's id that its state and token name, whatever they are worth by now.
    private func shownDevices(of caller: Caller, keys: ServerKeys) throws -> [DeviceRow] {
        try keys.devices(shownBy: caller).compactMap { number in
            guard let device = try connection.devices.find(id: number), device.app == caller.app.id,
                device.client == caller.client
            else { return nil }
            return device
        }
    }

    /// The link of the caller's device; ends earlier link generations once a newer one is used (WIRE-20), and refuses
    /// theirs.
    func link(of caller: AuthenticatedCaller) throws -> DeviceLink {
        try confirmed(try connection.devices.link(id: caller.device), of: caller)
    }

    /// The same with what was found of the device before, in this transaction; nil: it is not there.
    func confirmed(_ found: DeviceLink?, of caller: AuthenticatedCaller) throws -> DeviceLink {
        let link = try shown(found, of: caller)
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
    func shown(_ found: DeviceLink?, of caller: AuthenticatedCaller) throws -> DeviceLink {
        guard let link = found, link.app == caller.app.id, link.accepts(tokensOf: caller.generation) else {
            // Of a client of v3 its state decides, which is looked at where this is answered.
            if found == nil, !caller.isV3, try connection.erasedDevices.find(caller.client, app: caller.app.id) != nil {
                throw Erasure.error
            }
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

    /// The erasure of the caller's installation, which stays away: whatever it calls is answered with 410 (REG-36). It is
    /// asked for only where a device is missing, so that those that are there pay nothing for it.
    ///
    /// - Returns: nil for everybody else: for another installation with the same id (WIRE-20), and for a client of v3 that
    ///   shows nothing of ours from before the erasure. Such a client keeps its id for good, and knows no other way to begin
    ///   anew.
    func erasure(of caller: Caller, keys: ServerKeys) throws -> Erasure? {
        guard let erasedAt = try connection.erasedDevices.find(caller.client, app: caller.app.id) else { return nil }
        guard try shownDevices(of: caller, keys: keys).isEmpty else { return nil }
        guard caller.v3 != nil else { return Erasure() }
        guard let shown = ClientStateHeader(caller.state, for: caller.client.canonical, with: keys) else { return nil }
        let fresh = ClientStateHeader(after: erasedAt, with: keys)
        return shown == fresh ? nil : Erasure(state: fresh.signed(for: caller.client.canonical, with: keys))
    }

    /// In which epoch an installation begins whose client shows the state from after the newest erasure; nil for everybody
    /// else. No other installation comes to such an epoch: others count theirs from 0.
    private func epochAfterErasure(of caller: Caller, keys: ServerKeys) throws -> Int64? {
        guard caller.v3 != nil,
            let shown = ClientStateHeader(caller.state, for: caller.client.canonical, with: keys), shown.isAfterErasure,
            let erasedAt = try connection.erasedDevices.find(caller.client, app: caller.app.id),
            shown == ClientStateHeader(after: erasedAt, with: keys)
        else { return nil }
        return shown.epoch
    }

    /// Nil when the caller's token ends earlier ones, which is to be written down.
    fileprivate func read<Value>(
        for caller: AuthenticatedCaller, _ body: CallerRead<Value>
    ) throws -> (link: DeviceLink, value: Value)? {
        let link = try shown(try connection.devices.link(id: caller.device), of: caller)
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
